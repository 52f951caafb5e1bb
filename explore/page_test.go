package explore_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore"
	"github.com/trackgen-go/trackgen/explore/world"
)

// set gives a control a value as a person does: with the events of an input that ends.
func (b *tab) set(selector, value string) {
	b.t.Helper()
	require.True(b.t, b.holds(fmt.Sprintf("document.querySelector(%q)", selector)), "%s is on the page", selector)
	b.script(`{ const e = document.querySelector(%q); if (e.type === "checkbox") e.checked = %q === "true"; else e.value = %q;
		e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); }`,
		selector, value, value)
	b.shown()
}

// click clicks on an element.
func (b *tab) click(selector string) {
	b.t.Helper()
	require.True(b.t, b.holds(fmt.Sprintf("document.querySelector(%q)", selector)), "%s is on the page", selector)
	b.script("document.querySelector(%q).click()", selector)
	b.shown()
}

// cards are the canvases of the first cards of the gallery: those far below the window are not drawn.
const cards = ".card:nth-child(-n+12) canvas"

// view shows a view.
func (b *tab) view(name string) {
	b.t.Helper()
	b.click("#tab-" + name)
}

// pixels returns a number that differs for other pictures of the canvases that a selector matches.
func (b *tab) pixels(selector string) string {
	b.t.Helper()
	return get(b, chromedp.Evaluate[string](fmt.Sprintf(`[...document.querySelectorAll(%q)].map((c) => {
		const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		let h = 0; for (let i = 0; i < data.length; i += 5) h = (h * 31 + data[i]) | 0; return h; }).join()`, selector)))
}

// The page works: each kind of control changes the tracks, undo returns, and a wrong value is shown beside its control.
func TestPage(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{Version: "v0.0.0"})
	b := browse(t, s.link)
	b.shown()
	require.Contains(t, b.text("#status"), "24 of 24 valid")
	assert.False(t, b.holds("location.href.includes('token')"), "the token is not in the address")
	first := b.pixels(cards)
	assert.Len(t, strings.Split(first, ","), 12)

	b.set("#set-elevation-max", "1") // for the random heights below
	before := first
	for _, c := range []struct{ selector, value string }{
		{"#set-road-half_width", "70 mm"},                               // a number with a unit
		{"[data-name='road.half_width'] input[type=range]", "0.12"},     // a slider
		{"#set-relax-enabled", "false"}, {"#set-relax-enabled", "true"}, // a box
		{"#set-elevation-profile", "uniform"},           // a choice
		{"#set-variation-half_width_range-high", "0.1"}, // one end of a range
		{"#generator", "polar"}, {"#seed", "100"}, {"#epoch", "2"}, {"#colour", "curvature"},
		{"#generator", "mixed"}, {".mixture input", "9"},
	} {
		b.set(c.selector, c.value)
		require.True(t, b.holds("document.getElementById('problem').hidden"), "%s: %s", c.selector, b.text("#problem"))
		now := b.pixels(cards)
		assert.NotEqual(t, before, now, "%s = %s changes the pictures", c.selector, c.value)
		before = now
	}
	b.set("#envs", "30")
	assert.True(t, b.holds("document.querySelectorAll('.card').length === 30"))
	assert.True(t, b.holds("document.querySelector(`[data-name='road.half_width']`).classList.contains('changed')"))
	b.script("for (let i = 0; i < 40; i++) document.getElementById('undo').click()")
	b.shown()
	assert.Equal(t, first, b.pixels(cards), "undo returns to the beginning")
	b.script("for (let i = 0; i < 40; i++) document.getElementById('redo').click()")
	b.shown()
	assert.Equal(t, before, b.pixels(cards), "redo returns to the end")
	b.click("[data-preset=Default]")
	b.set("#seed", "0")
	b.set("#epoch", "0")
	b.set("#envs", "24")
	b.set("#colour", "auto")
	require.Equal(t, first, b.pixels(cards))

	b.set("#set-road-half_width", "-1")
	assert.Contains(t, b.text("[data-name='road.half_width'] .problem"), "must be a number > 0")
	assert.Equal(t, first, b.pixels(cards), "the tracks stay")
	b.click("[data-name='road.half_width'] .reset")
	assert.Empty(t, b.text("[data-name='road.half_width'] .problem"))

	b.set("#set-relax-enabled", "false")
	assert.True(t, b.holds("document.querySelector('.card.invalid .note').textContent.length > 5"), "says why")
	b.click(".card.invalid")
	assert.Contains(t, b.text("#inspector .reasons"), "limit")
	b.click("#inspector .reasons button")
	assert.Contains(t, b.text("#inspector .readout"), "radius")
	b.noErrors()
}

// A link restores what was set, in a new tab, and a hostile link changes nothing that the page cannot take.
func TestLink(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	b.click("[data-preset=Twisty]")
	b.set("#seed", "77")
	pictures := b.pixels(cards)
	link := get(b, chromedp.Evaluate[string]("location.href"))
	assert.NotContains(t, link, "token")
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	b.shown()
	assert.Equal(t, pictures, b.pixels(cards))
	assert.True(t, b.holds("document.getElementById('seed').value === '77'"))

	base, _, _ := strings.Cut(link, "#")
	for _, hash := range []string{"#state=%%%", "#state=AAAA", "#state=" + strings.Repeat("A", 200_000),
		"#state=eyJ0YWIiOiI8aW1nIHNyYz14PiIsInRyYWNrcyI6eyJzZXR0aW5ncyI6eyI8Yj4iOiJ4Iiwicm9hZC5oYWxmX3dpZHRoIjo1fX19",
		"#token=", "#state=bnVsbA"} {
		b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(base+hash))
		b.shown()
		assert.Contains(t, b.text("#status"), "24 of 24 valid", hash)
	}
	b.noErrors()
}

// Without its server, the page says so, and goes on when it is asked again in vain.
func TestServerIsGone(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	s.stop()
	b.set("#set-road-half_width", "0.05")
	assert.Contains(t, b.text("#problem"), "does not answer")
	assert.Equal(t, "Not shown.", b.text("#status"))
	b.script("document.querySelector('#problem button').click()")
	b.shown()
	assert.Contains(t, b.text("#problem"), "does not answer")
	b.noErrors()
}

// cutWriter ends the connection in the middle of an answer.
type cutWriter struct {
	http.ResponseWriter
	left int
}

// Write implements io.Writer.
func (w *cutWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		w.ResponseWriter.Write(p[:len(p)/2])                 //nolint:errcheck // the connection ends in any case
		http.NewResponseController(w.ResponseWriter).Flush() //nolint:errcheck // as above
		panic(http.ErrAbortHandler)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *cutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// When answers stop in the middle, the page says so in each view, and goes on when the server is well again.
func TestServerBreaksInTheMiddle(t *testing.T) {
	t.Parallel()
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	server := explore.New(device, explore.Options{})
	var broken atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() {
			w = &cutWriter{ResponseWriter: w, left: 500}
		}
		server.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() { proxy.Close(); assert.NoError(t, device.Close()) })
	b := browse(t, strings.Replace(server.Link(proxy.Listener), "localhost", "127.0.0.1", 1))
	b.shown()
	for _, view := range []string{"gates", "drive", "statistics", "tracks"} {
		broken.Store(true)
		b.view(view)
		assert.Contains(t, b.text("#problem"), "in the middle of an answer", view)
		broken.Store(false)
		b.script("document.querySelector('#problem button').click()")
		b.shown()
		assert.True(t, b.holds("document.getElementById('problem').hidden"), "%s: %s", view, b.text("#problem"))
	}
	b.noErrors()
}

// A page with the token of an earlier run says what to do.
func TestWrongToken(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{})
	base, _, _ := strings.Cut(s.link, "#")
	b := browse(t, base+"#token=00000000000000000000000000000000")
	b.wait("/the link that trackgen explore prints/.test(document.getElementById('problem').textContent)")
	b.noErrors()
}

// Files that are dropped become circuits, or a message.
func TestDroppedFiles(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	var text strings.Builder
	text.WriteString("x,y\\n")
	for i := range 50 {
		a := 2 * math.Pi * float64(i) / 50
		fmt.Fprintf(&text, "%.2f,%.2f\\n", 90*math.Cos(a), 60*math.Sin(a))
	}
	drop := func(name, content string) {
		b.t.Helper()
		b.script(`{ const data = new DataTransfer(); data.items.add(new File([%s], %q));
			document.getElementById("main").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true })); }`,
			content, name)
		b.wait("document.getElementById('tab-circuit').getAttribute('aria-selected') === 'true'")
		b.shown()
	}
	drop("<img src=x onerror=alert(1)>.csv", "'<script>alert(1)</script>'")
	b.wait("!document.getElementById('problem').hidden")
	assert.False(t, b.holds("document.querySelector('#problem img, #problem script')"))
	drop("large.csv", fmt.Sprintf("new Uint8Array(%d)", world.MaxFile+1))
	b.wait("/must be at most/.test(document.getElementById('problem').textContent)")
	drop("Ring.csv", "'"+text.String()+"'")
	b.wait("/has no widths/.test(document.querySelector(`[data-name='half_width'] .problem`).textContent)")
	b.set("#set-half_width", "5")
	b.wait("/1 of 1 valid/.test(document.getElementById('status').textContent)")
	assert.Contains(t, b.text("#reports"), "Ring")
	assert.Equal(t, "Ring", b.text(".card .title"))
	b.view("drive")
	b.wait("/1 of 1 complete/.test(document.getElementById('status').textContent)")
	b.noErrors()
}

// Statistics follow a brush, and gates and vehicles are shown.
func TestViews(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	b.view("statistics")
	b.wait("document.querySelectorAll('.card').length === 48")
	assert.Contains(t, b.text(".summary"), "1024 of 1024 valid")
	b.brush(0.8, 0.99)
	b.wait(`[...document.querySelectorAll(".card .note")].every((n) => Number(n.textContent.slice(7)) > 6)`)
	b.view("gates")
	require.Contains(t, b.text("#status"), "24 of 24 valid")
	b.click(".card")
	b.script("[...document.querySelectorAll('#inspector button')].find((x) => x.textContent === '3-D').click()")
	b.wait("document.querySelectorAll('.stage canvas').length === 2")
	b.view("drive")
	b.wait("/ complete the lap/.test(document.getElementById('status').textContent)")
	b.wait("/^[1-9]/.test(document.querySelector('.clock').textContent)")
	b.noErrors()
}

// The page begins with what the command was given.
func TestStart(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{Start: &world.Request{Course: world.CourseGates, Envs: 7, Seed: 3,
		Settings: map[string]string{"gate.width": "0.05", "generator": "polar"}}})
	b := browse(t, s.link)
	b.shown()
	assert.Contains(t, b.text("#status"), "7 of 7 valid")
	assert.True(t, b.holds("document.getElementById('generator').value === 'polar'"))
	b.noErrors()
}

// The first visit of docs/explorer.md: its steps lead to its command.
func TestFirstVisit(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "explorer.md"))
	require.NoError(t, err)
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	b.click("[data-preset=Twisty]")
	b.set("[data-name='road.half_width'] input[type=range]", "0.05")
	b.click("[aria-label='The next seeds']")
	b.click(".card:nth-child(3)")
	b.click("#inspector [aria-label=Close]")
	b.script("document.getElementById('command').click()")
	b.wait("document.querySelector('#dialog textarea')")
	command := get(b, chromedp.Evaluate[string]("document.querySelector('#dialog textarea').value"))
	assert.Contains(t, strings.ReplaceAll(string(page), " \\\n  ", " "), "\n"+command+"\n")
	b.noErrors()
}

// A file that is exported has the bytes of the server.
func TestExport(t *testing.T) {
	t.Parallel()
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	b.script(`{ globalThis.saved = []; URL.createObjectURL = (blob) => { blob.text().then((t) => saved.push(t)); return "#"; } }`)
	b.script("document.getElementById('export').click()")
	b.wait("document.querySelectorAll('.formats button').length > 8")
	b.script("document.querySelector('[data-format=json]').click()")
	b.wait("globalThis.saved.length === 1 && JSON.parse(globalThis.saved[0]).tracks.length === 24")
	b.script("document.getElementById('dialog').close(); document.getElementById('yaml').click()")
	b.wait("globalThis.saved.length === 2 && globalThis.saved[1].includes('half_width: 0.1')")
	b.script("document.getElementById('command').click()")
	b.wait("/^trackgen generate --envs 24 --out tracks.npz$/.test(document.querySelector('#dialog textarea')?.value)")
	b.noErrors()
}

// A slider that moves redraws 24 tracks; what that takes is logged, and is a figure of docs/explorer.md.
func TestRedraw(t *testing.T) {
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	times := get(b, chromedp.Evaluate[[]float64](`(async () => {
		performance.clearMeasures("redraw");
		const slider = document.querySelector("[data-name='road.half_width'] input[type=range]");
		for (let i = 0; i < 40; i++) {
			slider.value = String(0.05 + i * 0.002);
			slider.dispatchEvent(new Event("input", { bubbles: true }));
			const n = performance.getEntriesByName("redraw").length;
			while (performance.getEntriesByName("redraw").length === n) await new Promise((r) => setTimeout(r, 1));
		}
		return performance.getEntriesByName("redraw").map((e) => e.duration);
	})()`, chromedp.EvalAwaitPromise))
	require.Len(t, times, 40)
	slices.Sort(times)
	t.Logf("from the slider to the picture, 24 tracks: median %.1f ms, 9 of 10 within %.1f ms", times[20], times[36])

	// Without waiting, requests that are passed by others are given up, and the last one is shown.
	b.script(`{ const slider = document.querySelector("[data-name='road.half_width'] input[type=range]");
		for (let i = 0; i < 200; i++) { slider.value = String(0.05 + i * 0.0005);
			slider.dispatchEvent(new Event("input", { bubbles: true })); }
		slider.dispatchEvent(new Event("change", { bubbles: true })); }`)
	b.shown()
	last := b.pixels(cards)
	b.set("#seed", "1")
	b.set("#seed", "0")
	assert.Equal(t, last, b.pixels(cards), "the picture is that of where the slider rests")
	b.noErrors()
}
