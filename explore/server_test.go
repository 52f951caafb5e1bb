package explore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore"
	"github.com/trackgen-go/trackgen/explore/world"
)

// request is a request to a running explorer.
type request struct {
	method, path string
	header       map[string]string
	body         []byte
}

// send sends a request, and returns the status, the header and the body of the answer.
func (s served) send(t *testing.T, r request) (int, http.Header, []byte) {
	t.Helper()
	base, token, _ := strings.Cut(s.link, "/#token=")
	sent, err := http.NewRequestWithContext(t.Context(), r.method, base+r.path, bytes.NewReader(r.body))
	require.NoError(t, err)
	sent.Header.Set("X-Trackgen-Token", token)
	for name, value := range r.header {
		if name == "Host" {
			sent.Host = value
			continue
		}
		sent.Header.Set(name, value)
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(sent)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, answer.Header, body
}

// frame returns the bytes of a request with a file.
func frame(t *testing.T, head any, file []byte) []byte {
	t.Helper()
	text, err := world.Frame{Head: head, Body: file}.Append(nil)
	require.NoError(t, err)
	return text
}

// headOf returns the JSON of the first frame of an answer.
func headOf(t *testing.T, answer []byte) (head map[string]any) {
	t.Helper()
	text, _, err := world.ReadFrame(bytes.NewReader(answer), 1<<30)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &head))
	return head
}

// The page and its files are served with a strict policy, and nothing else is.
func TestFiles(t *testing.T) {
	s := serve(t, explore.Options{})
	for path, kind := range map[string]string{"/": "text/html", "/app.js": "text/javascript", "/style.css": "text/css",
		"/icon.svg": "image/svg+xml"} {
		status, header, body := s.send(t, request{method: "GET", path: path})
		assert.Equal(t, http.StatusOK, status, path)
		assert.Contains(t, header.Get("Content-Type"), kind)
		assert.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'")
		assert.NotContains(t, header.Get("Content-Security-Policy"), "unsafe")
		assert.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		assert.NotContains(t, string(body), "https://", "the page works offline")
	}
	for _, path := range []string{"/index.html", "/page.go", "/tsconfig.json", "/../page.go", "/%2e%2e/go.mod",
		"/call/tables", "/nothing"} {
		status, _, _ := s.send(t, request{method: "GET", path: path})
		assert.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusMovedPermanently,
			http.StatusTemporaryRedirect}, status, path)
	}
}

// Other pages, other names of this machine, and programs without the token are refused.
func TestOnlyOurPageMayAsk(t *testing.T) {
	s := serve(t, explore.Options{})
	base, _, _ := strings.Cut(strings.TrimPrefix(s.link, "http://"), "/#")
	ask := request{method: "POST", path: "/call/tables", body: frame(t, struct{}{}, nil)}
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"Accept", "*/*", http.StatusOK},
		{"Origin", "http://" + base, http.StatusOK},
		{"Origin", "http://example.com", http.StatusForbidden},
		{"Origin", "https://" + base, http.StatusForbidden},
		{"Origin", "null", http.StatusForbidden},
		{"Host", "example.com", http.StatusForbidden},
		{"Host", "rebound.example.com:80", http.StatusForbidden},
		{"Host", "localhost.example.com", http.StatusForbidden},
		{"Host", "localhost:1", http.StatusOK},
		{"Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{"Sec-Fetch-Site", "same-site", http.StatusForbidden},
		{"Sec-Fetch-Site", "same-origin", http.StatusOK},
		{"X-Trackgen-Token", "", http.StatusUnauthorized},
		{"X-Trackgen-Token", "00000000000000000000000000000000", http.StatusUnauthorized},
	} {
		r := ask
		r.header = map[string]string{c.name: c.value}
		status, header, body := s.send(t, r)
		assert.Equal(t, c.status, status, "%s: %s", c.name, c.value)
		assert.Empty(t, header.Get("Access-Control-Allow-Origin"))
		if c.status == http.StatusOK {
			assert.Equal(t, "tables", headOf(t, body)["kind"])
		} else {
			assert.NotContains(t, string(body), "tables")
		}
	}
	status, _, _ := s.send(t, request{method: "GET", path: "/", header: map[string]string{"Sec-Fetch-Site": "cross-site",
		"Sec-Fetch-Mode": "navigate"}})
	assert.Equal(t, http.StatusOK, status, "a link on another page leads to the page")
	status, _, _ = s.send(t, request{method: "GET", path: "/app.js", header: map[string]string{
		"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}})
	assert.Equal(t, http.StatusForbidden, status)
}

// What is wrong with a request comes back as a frame with problems.
func TestProblemsComeBack(t *testing.T) {
	s := serve(t, explore.Options{})
	post := func(name string, body []byte) (int, map[string]any) {
		status, _, answer := s.send(t, request{method: "POST", path: "/call/" + name, body: body})
		return status, headOf(t, answer)
	}
	status, head := post("generate", frame(t, world.Request{Course: "tracks", Envs: 1,
		Settings: map[string]string{"road.half_width": "-1"}}, nil))
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "refused", head["kind"])
	problem := head["problems"].([]any)[0].(map[string]any)
	assert.Equal(t, "road.half_width", problem["field"])
	assert.Equal(t, "-1", problem["value"])
	assert.Contains(t, problem["allowed"], "> 0")

	// The last one announces a file of 16 MiB and one byte.
	for _, body := range [][]byte{nil, []byte("GET"), []byte("\xff\xff\xff\xff\xff\xff\xff\xff"),
		frame(t, struct{}{}, nil)[:9], append([]byte{2, 0, 0, 0, 1, 0, 0, 1}, "{}"...)} {
		status, head = post("generate", body)
		assert.Equal(t, http.StatusBadRequest, status)
		assert.Equal(t, "refused", head["kind"])
	}
	status, _ = post("nothing", frame(t, struct{}{}, nil))
	assert.Equal(t, http.StatusBadRequest, status)
}

// When its context ends, the server gives up what it does, and leaves no goroutine.
func TestConcurrentCallsEndWithTheServer(t *testing.T) {
	known := goleak.IgnoreCurrent()
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	listener, err := explore.Listen("127.0.0.1:0")
	require.NoError(t, err)
	assert.True(t, explore.IsLoopback(listener))
	server := explore.New(device, explore.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()

	s := served{link: server.Link(listener)}
	base, token, _ := strings.Cut(s.link, "/#token=")
	long, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/call/generate",
		bytes.NewReader(frame(t, world.Request{Course: "tracks", Envs: 512,
			Settings: map[string]string{"generator": "repulsive"}}, nil)))
	require.NoError(t, err)
	long.Header.Set("X-Trackgen-Token", token)
	client := &http.Client{Transport: &http.Transport{}}
	answer, err := client.Do(long)
	require.NoError(t, err)
	_, err = io.ReadFull(answer.Body, make([]byte, 100)) // it has begun: all of it takes ten seconds
	require.NoError(t, err)
	cancel()
	require.NoError(t, <-ended)
	rest, err := io.ReadAll(answer.Body)
	if err == nil { // else a chunk of tracks took longer than the server waits
		assert.Contains(t, string(rest), "trackgen explore has ended")
	}
	require.NoError(t, answer.Body.Close())
	require.NoError(t, device.Close())
	client.CloseIdleConnections()
	_, err = net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	require.Error(t, err)
	goleak.VerifyNone(t, known)
}

// A page that is closed in the middle of an answer leaves the server free for others.
func TestPagesThatAreClosedAtOnce(t *testing.T) {
	s := serve(t, explore.Options{})
	base, token, _ := strings.Cut(s.link, "/#token=")
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/call/generate",
			bytes.NewReader(frame(t, world.Request{Course: "tracks", Envs: 512,
				Settings: map[string]string{"generator": "repulsive"}}, nil)))
		require.NoError(t, err)
		r.Header.Set("X-Trackgen-Token", token)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		cancel()
		answer.Body.Close()
	}
	begun := time.Now()
	status, _, _ := s.send(t, request{method: "POST", path: "/call/tables", body: frame(t, struct{}{}, nil)})
	assert.Equal(t, http.StatusOK, status)
	t.Logf("answered after %v", time.Since(begun)) // 512 such tracks take ten seconds
}

// What the device cannot do is an answer, and the device has all its memory back.
func TestDeviceFails(t *testing.T) {
	device, err := trackgen.Open("cpu", trackgen.MemoryLimit(1<<8))
	require.NoError(t, err)
	handler := explore.New(device, explore.Options{})
	token := handler.Link(nowhere{})
	post := func(name string, r world.Request) (int, map[string]any) {
		recorder := httptest.NewRecorder()
		sent := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/call/"+name, bytes.NewReader(frame(t, r, nil)))
		sent.Header.Set("X-Trackgen-Token", token[strings.Index(token, "=")+1:])
		handler.Handler().ServeHTTP(recorder, sent)
		return recorder.Code, headOf(t, recorder.Body.Bytes())
	}
	for _, name := range []string{"generate", "statistics", "drive", "export"} {
		for course, width := range map[string]string{world.CourseTracks: "road.half_width", world.CourseGates: "gate.width"} {
			status, head := post(name, world.Request{Course: course, Envs: 48, Format: "npz",
				Settings: map[string]string{"candidates": "64", width: "0.1"}})
			assert.Equal(t, http.StatusInternalServerError, status, "%s %s", name, course)
			assert.Equal(t, "failed", head["kind"])
			assert.Contains(t, head["message"], "memory", "%s %s", name, course)
		}
	}
	require.NoError(t, device.Close(), "nothing is left on the device")
}

// nowhere is a listener of no network.
type nowhere struct{ net.Listener }

// Addr implements net.Listener.
func (nowhere) Addr() net.Addr { return &net.UnixAddr{Name: "nowhere"} }

// An address has a host: none would stand for all interfaces.
func TestListen(t *testing.T) {
	for _, address := range []string{"", ":0", ":8080", "8080", "127.0.0.1", "127.0.0.1:x:y"} {
		_, err := explore.Listen(address)
		require.ErrorIs(t, err, trackgen.ErrInvalid, address)
	}
	listener, err := explore.Listen("0.0.0.0:0")
	require.NoError(t, err)
	defer listener.Close()
	assert.False(t, explore.IsLoopback(listener))
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	defer device.Close() //nolint:errcheck // the test is over
	assert.Contains(t, explore.New(device, explore.Options{}).Link(listener), "http://127.0.0.1:")
}

// Each run has a token of its own.
func TestTokens(t *testing.T) {
	a, b := serve(t, explore.Options{}), serve(t, explore.Options{})
	tokenOf := func(s served) string { return s.link[strings.Index(s.link, "token="):] }
	assert.NotEqual(t, tokenOf(a), tokenOf(b))
	assert.Len(t, tokenOf(a), len("token=")+32)
}

// A Handler can also be a part of another server.
func TestHandler(t *testing.T) {
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	defer device.Close() //nolint:errcheck // the test is over
	recorder := httptest.NewRecorder()
	handler := explore.New(device, explore.Options{}).Handler()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/", nil))
	assert.Equal(t, http.StatusOK, recorder.Code)
	assert.Contains(t, recorder.Body.String(), "<title>TrackGen explorer</title>")
}
