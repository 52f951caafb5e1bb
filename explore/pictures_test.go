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
		for _, width := range []int64{1400, 800, 390} {
			height := int64(900)
			if width == 390 {
				height = 844
			}
			b.do(chromedp.EmulateViewport(width, height))
			b.theme(theme)
			for _, tab := range []string{"tracks", "gates", "circuit", "drive", "statistics"} {
				b.script("document.getElementById('tab-%s').click()", tab)
				b.shown()
				b.picture(filepath.Join(*pictures, fmt.Sprintf("%s-%d-%s.png", tab, width, theme)))
			}
			name := func(what string) string {
				return filepath.Join(*pictures, fmt.Sprintf("%s-%d-%s.png", what, width, theme))
			}
			b.script("document.getElementById('tab-tracks').click()")
			b.script("document.querySelector('[data-preset=Hills]').click()")
			b.shown()
			b.script("document.querySelectorAll('.card')[3].click()")
			b.picture(name("inspect"))
			b.script("[...document.querySelectorAll('#inspector button')].find((x) => x.textContent === '3-D').click()")
			b.picture(name("space"))
			b.script("[...document.querySelectorAll('#inspector button')].find((x) => x.textContent === 'Above').click()")
			b.script("document.querySelector('#inspector [aria-label=Close]').click()")
			b.script("document.getElementById('command').click()")
			b.wait("document.querySelector('#dialog textarea')")
			b.picture(name("command"))
			b.script("document.getElementById('dialog').close(); document.getElementById('export').click()")
			b.picture(name("export"))
			b.script("document.getElementById('dialog').close()")
			b.script("document.querySelector('[data-preset=Default]').click()")
			b.shown()
		}
	}
	b.noErrors()
}
