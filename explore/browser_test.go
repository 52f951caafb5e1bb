package explore_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore"
	"github.com/trackgen-go/trackgen/internal/required"
)

// served is an explorer that a test has started.
type served struct {
	link string
	stop func() // ends the server, and waits until it has ended
}

// serve starts an explorer on a free port.
func serve(t *testing.T, options explore.Options) served {
	t.Helper()
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	listener, err := explore.Listen("127.0.0.1:0")
	require.NoError(t, err)
	server := explore.New(device, options)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	var once sync.Once
	stop := func() {
		once.Do(func() {
			cancel()
			assert.NoError(t, errors.Join(<-ended, device.Close()))
		})
	}
	t.Cleanup(stop)
	return served{link: server.Link(listener), stop: stop}
}

// tab is a page in a browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mutex  sync.Mutex
	errors []string // what the page threw or logged as an error
}

// patience is how long a step in the browser may take. Other programs may stop this one for a while.
const patience = 60 * time.Second

// browse opens an address in Debian's Chromium, without a window.
func browse(t *testing.T, address string) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a second to start")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(required.Program(t, "chromium")),
		chromedp.WindowSize(1400, 900), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("lang", "en-US"))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root cannot have
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	b := &tab{t: t, ctx: ctx}
	t.Cleanup(func() { stop(); stopAllocator() })
	require.NoError(t, chromedp.Do(ctx)) // starts the browser, which lives as long as this context
	go b.listen(chromedp.Events(ctx, runtime.ExceptionThrown), chromedp.Events(ctx, log.EntryAdded))
	b.do(call(log.Enable, cdp.Empty{}), chromedp.Navigate(address))
	return b
}

// listen notes what the page throws, and what the browser refuses it, such as a script against its policy.
func (b *tab) listen(thrown iter.Seq2[runtime.EventExceptionThrown, error],
	logged iter.Seq2[log.EventEntryAdded, error]) {
	note := func(text string) {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.errors = append(b.errors, text)
	}
	go func() {
		for e, err := range thrown {
			if err != nil {
				return
			}
			note(fmt.Sprintf("%+v", e.ExceptionDetails))
		}
	}()
	for e, err := range logged {
		if err != nil {
			return
		}
		// A request that is refused or given up is in the log, too: the page shows those itself.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			note(e.Entry.Text)
		}
	}
}

// do runs actions, each within patience.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, action := range actions {
		get(b, action)
	}
}

// get runs an action within patience, and returns its value.
func get[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	value, err := chromedp.Run(ctx, action)
	require.NoError(b.t, err)
	return value
}

// script runs JavaScript in the page.
func (b *tab) script(format string, args ...any) {
	b.t.Helper()
	get(b, chromedp.Evaluate[any](fmt.Sprintf(format, args...)))
}

// wait waits until an expression of the page is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for !b.holds(expression) {
		require.True(b.t, time.Now().Before(deadline), "%s does not hold; status %q, problem %q", expression,
			b.text("#status"), b.text("#problem"))
		time.Sleep(20 * time.Millisecond)
	}
}

// holds returns the value of an expression.
func (b *tab) holds(expression string) bool {
	b.t.Helper()
	return get(b, chromedp.Evaluate[bool]("Boolean("+expression+")"))
}

// text returns the text of an element, or "".
func (b *tab) text(selector string) string {
	b.t.Helper()
	return get(b, chromedp.Evaluate[string](fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector)))
}

// shown waits until the page shows what was asked for last.
func (b *tab) shown() {
	b.t.Helper()
	// The request goes out with the next frame.
	get(b, chromedp.Evaluate[any]("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(1))))",
		chromedp.EvalAwaitPromise))
	b.wait("document.getElementById('main').getAttribute('aria-busy') === 'false'")
}

// noErrors checks that the page threw nothing.
func (b *tab) noErrors() {
	b.t.Helper()
	b.mutex.Lock()
	defer b.mutex.Unlock()
	assert.Empty(b.t, strings.Join(b.errors, "\n"))
}

// call is an action that sends a command of the protocol of the browser.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// theme sets what the system of the browser prefers: light or dark.
func (b *tab) theme(name string) {
	b.t.Helper()
	b.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}))
}

// picture writes a picture of the page to a file.
func (b *tab) picture(path string) {
	b.t.Helper()
	png := get(b, chromedp.CaptureScreenshot())
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(b.t, os.WriteFile(path, png, 0o644))
}
