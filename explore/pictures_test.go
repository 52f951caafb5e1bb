package explore_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/trackgen-go/trackgen/explore"
)

var pictures = flag.String("pictures", "", "folder for pictures of the page, at several widths and in both themes")

// The page is looked at by eye: at the width of a desk, of a small window and of a phone, in both themes.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("only with -pictures FOLDER")
	}
	server := serve(t, explore.Options{Version: "v0.0.0"})
	b := browse(t, server.link)
	b.shown()
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		for _, width := range []int64{1400, 800, 390} {
			b.do(chromedp.EmulateViewport(width, map[int64]int64{1400: 900, 800: 800, 390: 800}[width]))
			take := func(what string) {
				b.picture(filepath.Join(*pictures, fmt.Sprintf("explorer-%s-%d-%s.png", what, width, theme)))
			}
			b.takeViews(take)
			b.takeInspector(take)
			b.takeDialogs(take)
		}
	}
	b.noErrors()
}

// takeViews takes pictures of all views: of statistics with a brush, and of vehicles after some seconds.
func (b *tab) takeViews(take func(string)) {
	for _, view := range []string{"tracks", "gates", "circuit"} {
		b.view(view)
		take(view)
	}
	b.view("tracks")
	b.view("drive")
	b.wait("/ complete the lap/.test(document.getElementById('status').textContent)")
	b.script(`{ const play = document.querySelector(".controls button"); if (play.textContent === "Pause") play.click();
		const slider = document.querySelector(".controls input"); slider.value = "6";
		slider.dispatchEvent(new Event("input")); }`)
	take("drive")
	b.script("document.querySelector('.controls button').click()")
	b.view("tracks")
	b.view("statistics")
	b.wait("document.querySelectorAll('.card').length === 48")
	b.brush(0.7, 0.99)
	take("statistics")
	b.script("document.querySelector('.summary button').click()")
}

// brush drags over a part of the first histogram, from left 0 to right 1.
func (b *tab) brush(from, to float64) {
	b.t.Helper()
	b.script(`{ const svg = document.querySelector(".histogram svg"); const box = svg.getBoundingClientRect();
		svg.setPointerCapture = () => {};
		for (const [type, part] of [["pointerdown", %v], ["pointermove", %v], ["pointerup", %v]])
			svg.dispatchEvent(new PointerEvent(type, { clientX: box.left + part * box.width, clientY: box.top + 9,
				bubbles: true })); }`, from, to, to)
	b.wait(`/^\d+ of 1024/.test(document.getElementById('chosen').textContent)`)
	b.shown()
}

// takeInspector takes pictures of one track: of hills from above and in space, and of one that is not valid.
func (b *tab) takeInspector(take func(string)) {
	b.view("tracks")
	b.click("[data-preset=Hills]")
	b.click(".card:nth-child(4)")
	take("inspect")
	b.script("[...document.querySelectorAll('#inspector button')].find((x) => x.textContent === '3-D').click()")
	take("space")
	b.script("[...document.querySelectorAll('#inspector button')].find((x) => x.textContent === 'Above').click()")
	b.click("[data-preset=Default]")
	b.set("#set-relax-enabled", "false")
	b.click(".card.invalid")
	b.click("#inspector .reasons button")
	take("invalid")
	b.click("#inspector [aria-label=Close]")
}

// takeDialogs takes pictures of a command, of the formats of files, and of settings.
func (b *tab) takeDialogs(take func(string)) {
	b.click("[data-preset=Varied]")
	b.script("document.getElementById('command').click()")
	b.wait("document.querySelector('#dialog textarea')")
	take("command")
	b.script("document.getElementById('dialog').close(); document.getElementById('export').click()")
	take("export")
	b.script("document.getElementById('dialog').close()")
	b.script("document.body.classList.add('settings-open')")
	b.script("document.querySelector('.settings input[type=search]').value = 'width'")
	b.script("document.querySelector('.settings input[type=search]').dispatchEvent(new Event('input'))")
	b.set("#set-road-half_width", "-1")
	b.script("document.getElementById('set-road-half_width').focus()")
	take("search")
	b.script("document.querySelector('.settings input[type=search]').value = ''")
	b.script("document.querySelector('.settings input[type=search]').dispatchEvent(new Event('input'))")
	b.script("document.body.classList.remove('settings-open')")
	b.click("[data-preset=Default]")
}
