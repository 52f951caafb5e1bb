//go:build slow

package explore_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/explore"
)

// The page is usable at the width of a phone: nothing is wider than the window.
func TestWidths(t *testing.T) {
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	for _, width := range []int64{1400, 800, 390, 320} {
		b.do(chromedp.EmulateViewport(width, 800))
		for _, view := range []string{"tracks", "gates", "circuit", "drive", "statistics"} {
			b.view(view)
			assert.True(t, b.holds("document.documentElement.scrollWidth <= innerWidth"), "%s at %d", view, width)
		}
	}
	b.view("tracks")
	b.click("#show-panel")
	assert.True(t, b.holds("document.getElementById('panel').getBoundingClientRect().width > 200"))
	assert.True(t, b.holds("document.documentElement.scrollWidth <= innerWidth"))
	b.noErrors()
}

// axe-core, the checks of WCAG, finds nothing serious in any view. scripts/explorer.sh installs it.
func TestAccessibility(t *testing.T) {
	folder := os.Getenv("TRACKGEN_AXE")
	if folder == "" {
		t.Skip("NOT TESTED: axe-core is not installed: make explore installs it")
	}
	axe, err := os.ReadFile(filepath.Join(folder, "axe.min.js"))
	require.NoError(t, err)
	s := serve(t, explore.Options{})
	b := browse(t, s.link)
	b.shown()
	check := func(what string) {
		b.script("%s", string(axe)+"; 0")
		found := get(b, chromedp.Evaluate[[]string](`axe.run().then((r) => r.violations
			.filter((v) => v.impact === "serious" || v.impact === "critical")
			.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 160) + " " + n.failureSummary)))`,
			chromedp.EvalAwaitPromise))
		assert.Empty(t, found, what)
	}
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		for _, view := range []string{"tracks", "gates", "circuit", "drive", "statistics"} {
			b.view(view)
			time.Sleep(200 * time.Millisecond) // colours change by a transition
			check(view + " " + theme)
		}
		b.view("tracks")
		b.set("#set-relax-enabled", "false")
		b.set("#set-road-half_width", "-1")
		b.click(".card.invalid")
		check("problems " + theme)
		b.script("document.getElementById('export').click()")
		check("dialog " + theme)
		b.script("document.getElementById('dialog').close()")
		b.click("[data-preset=Default]")
	}
}
