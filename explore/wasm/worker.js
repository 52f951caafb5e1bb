// The worker of the explorer without a server: it runs trackgen.wasm, and passes calls and frames on.
//
// The page sends {id, name, request, file} to begin a call and {id} to give it up. The worker answers with {id, frame}
// for each frame, with {id, frame: null} behind the last one, and with {failed} when it can answer nothing.
"use strict";
importScripts("wasm_exec.js");

/** The functions that give calls up, by the id of the call. */
const running = new Map();

/** Loads the module. Hosts differ in whether they unpack a file whose name ends in .gz. */
async function load() {
  const response = await fetch("trackgen.wasm.gz");
  if (!response.ok) throw new Error(`trackgen.wasm.gz: the host answered ${response.status}`);
  let bytes = await response.arrayBuffer();
  const [first, second] = new Uint8Array(bytes, 0, 2);
  if (first === 0x1f && second === 0x8b) {
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    bytes = await new Response(unpacked).arrayBuffer();
  }
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  go.run(instance).then(() => fail("it has ended"), fail);
}

/** @param {unknown} reason */
function fail(reason) {
  postMessage({ failed: `TrackGen as WebAssembly does not answer: ${reason}. Load the page again.` });
}

const loaded = load();
loaded.catch(fail);

onmessage = async ({ data: { id, name, request, file } }) => {
  if (!name) {
    running.get(id)?.();
    running.delete(id);
    return;
  }
  let given = false;
  running.set(id, () => { given = true; });
  try {
    await loaded;
  } catch {
    return; // fail has told the page
  }
  if (given) return;
  running.set(id, trackgenCall(name, request, file ? new Uint8Array(file) : null, (frame) => {
    postMessage({ id, frame }, frame ? [frame.buffer] : []);
    if (!frame) running.delete(id);
  }));
};
