package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestProgressText(t *testing.T) {
	for _, test := range []struct {
		doing, things string
		done, total   int
		elapsed       time.Duration
		room          int
		want          string
	}{
		{"generating", "tracks", 0, 100, 0, 60, "generating"},
		{"generating", "tracks", 0, 100, 7 * time.Second, 60, "generating"},
		{"generating", "tracks", 25, 100, 10 * time.Second, 60, "generating, 2.5 tracks/s, 30s left"},
		{"generating", "tracks", 25, 100, 10 * time.Second, 30, "2.5 tracks/s, 30s left"},
		{"generating", "tracks", 25, 100, 10 * time.Second, 20, "2.5 tracks/s"},
		{"generating", "tracks", 100, 100, 8 * time.Second, 60, "generating, 12.5 tracks/s"},
		{"generating", "tracks", 5000, 10000, time.Second, 60, "generating, 5000 tracks/s, 1s left"},
		{"generating", "tracks", 28, 5000, 5 * time.Second, 27, "5.6 tracks/s, 15m left"},
		{"generating", "tracks", 1, 100_000, time.Second, 60, "generating, 1 tracks/s, 27h47m left"},
		{"generating", "tracks", 1, maxEnvs, 10 * time.Minute, 60, "generating, 0.1 tracks/min, 1000h0m left"},
		{"generating", "tracks", 1, 2, 90 * time.Second, 60, "generating, 0.667 tracks/min, 1m30s left"},
		{"bezier on vulkan:0, replay", "", 3, 12, time.Second, 60, "bezier on vulkan:0, replay"},
		{"bezier on vulkan:0, replay", "", 3, 12, time.Second, 10, "bezier on…"},
		{"generating", "tracks", 25, 100, time.Second, 1, ""},
		{"generating", "tracks", 25, 100, time.Second, -5, ""},
	} {
		got := progressText(test.doing, test.things, test.done, test.total, test.elapsed, test.room)
		assert.Equal(t, test.want, got, "%+v", test)
	}
}

// Goroutines may advance a bar while it is drawn. Its first state is 0 % and its last one 100 %.
func TestProgressConcurrent(t *testing.T) {
	var out bytes.Buffer
	bar := startProgress(&out, "measuring", "", 10)
	var group sync.WaitGroup
	for i := range 9 {
		group.Go(func() {
			bar.Do(fmt.Sprint("run ", i))
			bar.Add(1)
		})
	}
	group.Wait()
	bar.Finish()
	states := slices.DeleteFunc(strings.Split(out.String(), "\r"),
		func(text string) bool { return !strings.Contains(text, "%") })
	assert.Regexp(t, `^   0% \| +\| \(0/10\) \[0s\] measuring `, states[0])
	assert.Regexp(t, `^ 100% \|█+\| \(10/10\) \[\d+s\] run \d `, states[len(states)-1])
}

// Work after the last thing that is counted has a bar whose time advances.
func TestProgressAfterTheLastThing(t *testing.T) {
	var out lockedBuffer
	bar := startProgress(&out, "generating", "tracks", 2)
	bar.Add(2)
	bar.Do("writing tracks.npz")
	assert.Eventually(t, func() bool { return strings.Contains(out.String(), "(0/1) [1s] writing tracks.npz ") },
		time.Minute, drawInterval)
	bar.Do("writing tracks.svg")
	bar.Finish()
	assert.Regexp(t, `100% \|█+\| \(2/2\) \[\d+s\] generating`, out.String())
	assert.Regexp(t, `100% \|█+\| \(1/1\) \[\d+s\] writing tracks.svg`, out.String())
}

// lockedBuffer is a buffer that may be read while it is written.
type lockedBuffer struct {
	mutex sync.Mutex
	bytes.Buffer
}

// Write implements io.Writer.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.Buffer.Write(p)
}

// String returns what has been written.
func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.Buffer.String()
}

// A bar that is removed before the end does not show that it is complete.
func TestProgressOfAFailedRun(t *testing.T) {
	var out bytes.Buffer
	bar := startProgress(&out, "measuring", "", 10)
	bar.Add(4)
	bar.Done()
	assert.NotContains(t, out.String(), "100%")
}

// A bar that is not on a terminal writes nothing.
func TestNoProgress(t *testing.T) {
	var out bytes.Buffer
	bar := newProgress(&out, "generating", "tracks", 3)
	bar.Add(1)
	bar.Do("writing")
	bar.Finish()
	bar.Done()
	assert.Nil(t, bar)
	assert.Empty(t, out.String())
}
