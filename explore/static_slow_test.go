//go:build slow

package explore_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore/world"
)

// serveStatic builds the page without a server, and serves its files on loopback. Their addresses are below a path, as
// on many hosts.
func serveStatic(t *testing.T) (address, folder string) {
	t.Helper()
	folder = os.Getenv("TRACKGEN_EXPLORER") // built before
	if folder == "" {
		folder = t.TempDir()
		build := exec.Command(filepath.Join("..", "scripts", "explorer-wasm.sh"), folder)
		output, err := build.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	host := httptest.NewServer(http.StripPrefix("/some/path/", http.FileServer(http.Dir(folder))))
	t.Cleanup(host.Close)
	return host.URL + "/some/path/", folder
}

// sameBits are calls whose answers hold arrays. Each makes one track, so that it has one chunk at any pace.
func sameBits() map[string]string {
	calls := map[string]string{}
	for _, generator := range trackgen.Generators() {
		for _, course := range []string{"tracks", "gates"} {
			calls[course+" "+generator] = fmt.Sprintf(`{"course":%q,"settings":{"generator":%q},"seed":5,"epoch":1,"envs":1}`,
				course, generator)
		}
	}
	return calls
}

// The page of a static host shows the tracks of the server's, bit for bit, and says so when it cannot load its module.
func TestStaticPage(t *testing.T) {
	address, folder := serveStatic(t)
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		if info, err := e.Info(); err == nil && !e.IsDir() {
			assert.Less(t, info.Size(), int64(6_000_000), path)
		}
		return nil
	}))
	b := browse(t, address)
	b.shown()
	require.Contains(t, b.text("#status"), "24 of 24 valid")
	before := b.pixels(cards)
	b.set("#set-road-half_width", "70 mm")
	assert.NotEqual(t, before, b.pixels(cards))
	b.set("#set-road-half_width", "-1")
	assert.Contains(t, b.text("[data-name='road.half_width'] .problem"), "must be a number > 0")
	for _, view := range []string{"gates", "drive", "statistics", "circuit", "tracks"} {
		b.view(view)
		assert.True(t, b.holds("document.getElementById('problem').hidden"), "%s: %s", view, b.text("#problem"))
	}
	b.noErrors()

	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, device.Close()) })
	native := world.New(device, world.Options{})
	b.script(`window.hashOf = async (world, name, request) => {
		const bodies = [];
		for await (const { body } of world.call(name, request, null, null)) bodies.push(body);
		const hash = await crypto.subtle.digest("SHA-256", await new Blob(bodies).arrayBuffer());
		return [...new Uint8Array(hash)].map((v) => v.toString(16).padStart(2, "0")).join(""); }; 0`)
	get(b, chromedp.Evaluate[any](`import("./world.js").then((m) => { window.other = m.open(); return 0; })`,
		chromedp.EvalAwaitPromise))
	for name, request := range sameBits() {
		hash, size := sha256.New(), 0
		require.NoError(t, native.Call(context.Background(), "generate", json.RawMessage(request), nil,
			func(f world.Frame) error { hash.Write(f.Body); size += len(f.Body); return nil }), name)
		require.Greater(t, size, 500, name)
		assert.Equal(t, hex.EncodeToString(hash.Sum(nil)), get(b, chromedp.Evaluate[string](
			fmt.Sprintf(`hashOf(window.other, "generate", %s)`, request), chromedp.EvalAwaitPromise)), name)
	}
	// A call that is given up ends long before it is complete, and the next one is answered.
	assert.Equal(t, "given up, answered", get(b, chromedp.Evaluate[string](`(async () => {
		const stop = new AbortController(); let said = "complete";
		try {
			for await (const f of window.other.call("generate", { course: "tracks", settings: {}, seed: 0, epoch: 0, envs: 512 },
				null, stop.signal)) stop.abort();
		} catch (e) { said = e.name === "AbortError" ? "given up" : String(e); }
		for await (const f of window.other.call("tables", { course: "tracks", settings: {}, seed: 0, epoch: 0, envs: 1 }, null,
			null)) return said + ", answered"; })()`, chromedp.EvalAwaitPromise)))
}

// A host without the module, or with a broken one, gives a page that says so.
func TestStaticPageWithoutModule(t *testing.T) {
	_, folder := serveStatic(t)
	broken := t.TempDir()
	require.NoError(t, os.CopyFS(broken, os.DirFS(folder)))
	require.NoError(t, os.Remove(filepath.Join(broken, "trackgen.wasm.gz")))
	host := httptest.NewServer(http.FileServer(http.Dir(broken)))
	t.Cleanup(host.Close)
	b := browse(t, host.URL)
	b.wait("document.body.textContent.includes('the host answered 404')")
}

// The ledger that is part of this version holds for WebAssembly: its tests run in node.
func TestLedgerOfWebAssembly(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	runner := filepath.Join(string(root[:len(root)-1]), "lib", "wasm", "go_js_wasm_exec")
	test := exec.Command("go", "test", "-short", "-count=1", "-v", "-vet=off", "-timeout=30m", "-exec", runner,
		"-run", "TestDefault$|TestGates$", "./bench/ledger")
	test.Dir = ".."
	test.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	output, err := test.CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Contains(t, string(output), "--- PASS: TestGates")
}
