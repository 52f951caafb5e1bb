// The only module that knows who answers the page. A world has one method:
//
//   call(name, request, file, signal): AsyncGenerator<Frame>
//
// ServerWorld asks the server that the page came from. WorkerWorld asks a WebAssembly build in a worker, which the page of
// a static host has. open() chooses.

/**
 * A part of an answer: a JSON object and the bytes of arrays.
 * @typedef {{head: any, body: ArrayBuffer}} Frame
 *
 * @typedef {{field: string, value: string, allowed: string, message: string}} Problem
 *
 * @typedef {object} World
 * @property {(name: string, request: object, file: ArrayBuffer | null, signal: AbortSignal | null) =>
 *   AsyncGenerator<Frame>} call
 */

/** The error of a request that is wrong. */
export class Refused extends Error {
  /** @param {Problem[]} problems @param {string} message */
  constructor(problems, message) {
    super(message);
    this.problems = problems;
  }
}

/** The error of a world that does not answer, or could not complete an answer. */
export class Failed extends Error {}

const tokenKey = "trackgen-token";

/** A frame as it is sent: two lengths, the JSON text, the bytes. @param {object} head @param {ArrayBuffer | null} file */
function encode(head, file) {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const body = new Uint8Array(file ?? new ArrayBuffer(0));
  const all = new Uint8Array(8 + text.length + body.length);
  const lengths = new DataView(all.buffer);
  lengths.setUint32(0, text.length, true);
  lengths.setUint32(4, body.length, true);
  all.set(text, 8);
  all.set(body, 8 + text.length);
  return all;
}

/** Splits a stream of bytes into frames. @param {ReadableStream<Uint8Array>} stream @returns {AsyncGenerator<Frame>} */
export async function* frames(stream) {
  const reader = stream.getReader();
  /** @type {Uint8Array[]} */
  let parts = [];
  let held = 0;
  /** Takes n bytes from the front of parts. @param {number} n */
  const take = (n) => {
    const out = new Uint8Array(n);
    for (let at = 0; at < n; ) {
      const part = parts[0];
      const size = Math.min(part.length, n - at);
      out.set(part.subarray(0, size), at);
      at += size;
      if (size === part.length) parts.shift();
      else parts[0] = part.subarray(size);
    }
    held -= n;
    return out;
  };
  let needed = 8;
  /** @type {[number, number] | null} */
  let lengths = null;
  for (;;) {
    while (held >= needed) {
      if (!lengths) {
        const view = new DataView(take(8).buffer);
        lengths = [view.getUint32(0, true), view.getUint32(4, true)];
        needed = lengths[0] + lengths[1];
        continue;
      }
      const head = JSON.parse(new TextDecoder().decode(take(lengths[0])));
      const body = take(lengths[1]).buffer;
      lengths = null;
      needed = 8;
      yield { head, body };
    }
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    held += value.length;
  }
  if (held > 0 || lengths) throw new Failed("the answer ended in the middle of a frame");
}

/** Yields the frames of an answer, and throws what its last one says. @param {ReadableStream<Uint8Array>} stream */
async function* answer(stream) {
  for await (const frame of frames(stream)) {
    if (frame.head.kind === "refused") throw new Refused(frame.head.problems ?? [], frame.head.message);
    if (frame.head.kind === "failed") throw new Failed(frame.head.message);
    yield frame;
  }
}

/** The server that the page came from. @implements {World} */
class ServerWorld {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /**
   * @param {string} name @param {object} request @param {ArrayBuffer | null} file @param {AbortSignal | null} signal
   * @returns {AsyncGenerator<Frame>}
   */
  async *call(name, request, file, signal) {
    let response;
    try {
      response = await fetch(`call/${name}`, {
        method: "POST",
        body: encode(request, file),
        headers: { "X-Trackgen-Token": this.token },
        signal,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Failed("trackgen explore does not answer: it has ended, or the connection is lost");
    }
    if (!response.body) throw new Failed(`the server answered ${response.status} without a body`);
    if (response.headers.get("Content-Type") !== "application/octet-stream") {
      throw new Failed(`the server answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
    }
    try {
      yield* answer(response.body);
    } catch (error) {
      if (signal?.aborted || error instanceof Refused || error instanceof Failed) throw error;
      throw new Failed("trackgen explore stopped in the middle of an answer");
    }
  }
}

/** A WebAssembly build in a worker, which wasm/worker.js describes. @implements {World} */
class WorkerWorld {
  /** @param {string} address of the worker */
  constructor(address) {
    this.worker = new Worker(address);
    this.last = 0;
    this.failure = "";
    /** @type {Map<number, ReadableStreamDefaultController<Uint8Array>>} the calls that are not answered yet */
    this.calls = new Map();
    this.worker.onmessage = ({ data }) => this.#take(data);
    this.worker.onerror = (event) => {
      this.#take({ failed: `TrackGen as WebAssembly stopped: ${event.message || "its worker cannot be loaded"}` });
    };
  }

  /** @param {{id?: number, frame?: Uint8Array | null, failed?: string}} message */
  #take({ id, frame, failed }) {
    if (failed) {
      this.failure ||= failed;
      for (const call of this.calls.values()) call.error(new Failed(this.failure));
      this.calls.clear();
      return;
    }
    const call = this.calls.get(id ?? 0);
    if (frame) {
      call?.enqueue(frame);
      return;
    }
    call?.close();
    this.calls.delete(id ?? 0);
  }

  /**
   * @param {string} name @param {object} request @param {ArrayBuffer | null} file @param {AbortSignal | null} signal
   * @returns {AsyncGenerator<Frame>}
   */
  async *call(name, request, file, signal) {
    if (this.failure) throw new Failed(this.failure);
    signal?.throwIfAborted();
    const id = ++this.last;
    const stream = new ReadableStream({ start: (control) => { this.calls.set(id, control); } });
    const stop = () => {
      this.calls.get(id)?.error(signal?.reason);
      this.calls.delete(id);
      this.worker.postMessage({ id });
    };
    signal?.addEventListener("abort", stop);
    this.worker.postMessage({ id, name, request: JSON.stringify(request), file });
    try {
      yield* answer(stream);
    } finally {
      signal?.removeEventListener("abort", stop);
      if (this.calls.has(id)) stop(); // the caller wants no more frames
    }
  }
}

/** Takes the token out of the address, so that it is not copied with it. */
function takeToken() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const token = parts.get("token");
  if (token) {
    localStorage.setItem(tokenKey, token);
    parts.delete("token");
    const rest = parts.toString();
    history.replaceState(null, "", rest ? `#${rest}` : location.pathname);
  }
  return localStorage.getItem(tokenKey) ?? "";
}

/** Opens the world of this page. @returns {World} */
export function open() {
  const worker = document.querySelector("meta[name=trackgen-worker]")?.getAttribute("content");
  return worker ? new WorkerWorld(worker) : new ServerWorld(takeToken());
}
