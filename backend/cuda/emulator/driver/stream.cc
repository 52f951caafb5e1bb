// Streams, events and captures.

#include "emulator.h"

Stream *stream_of(void *handle) {
  if (u64(handle) <= 1) { // 2 is the default stream of the calling thread, which nothing here uses
    emulator.legacy.legacy = true;
    return &emulator.legacy;
  }
  Stream *s = (Stream *)handle;
  return emulator.streams.count(s) ? s : nullptr;
}

void drain(Stream *s, u64 position) {
  while (s->done < position) {
    auto work = std::move(s->queue.front());
    s->queue.pop_front();
    s->done++;
    work();
  }
}

void drain_all() {
  for (Stream *s : emulator.detached) drain(s);
  drain(&emulator.legacy);
  for (Stream *s : emulator.streams) drain(s);
}

void place(Stream *s, std::function<void()> work) {
  if (s->legacy)
    for (Stream *other : emulator.streams)
      if (other->blocking) drain(other);
  s->queue.push_back(std::move(work));
  s->queued++;
  if (s->legacy || (s->blocking && !emulator.legacy.queue.empty())) drain(&emulator.legacy);
  if (emulator.random() % 4 != 0) return;
  if (!emulator.detached.empty() && emulator.random() % 2) drain(*emulator.detached.begin());
  auto any = emulator.streams.begin();
  std::advance(any, emulator.random() % (emulator.streams.size() + 1));
  if (any != emulator.streams.end()) drain(*any, (*any)->done + emulator.random() % ((*any)->queue.size() + 1));
}

void invalidate(Capture *c) { c->invalid = true; }

static bool blocking_capture() {
  for (auto &c : emulator.captures)
    for (Stream *s : c->streams)
      if (s->blocking) return true;
  return false;
}

static void invalidate_blocking() {
  for (auto &c : emulator.captures)
    for (Stream *s : c->streams)
      if (s->blocking) invalidate(c.get());
}

int usable_stream(Stream *s, bool *recording) {
  *recording = false;
  if (!s || (s->context && s->context != current)) return kInvalidHandle;
  if (s->legacy) {
    if (blocking_capture()) {
      invalidate_blocking();
      return kImplicit;
    }
    for (auto &c : emulator.captures) // a capture of another thread does not matter
      if (c->thread == std::this_thread::get_id()) complain(0, "work on the legacy stream during a capture runs now and is not recorded");
    return 0;
  }
  if (!s->capture) return 0;
  if (s->capture->invalid) return kInvalidated;
  *recording = true;
  return 0;
}

Node *append(Stream *s, int type) {
  auto n = std::make_unique<Node>();
  n->type = type;
  n->graph = s->capture->graph;
  n->after = s->after;
  s->after = {n.get()};
  n->graph->nodes.push_back(std::move(n));
  return s->after[0];
}

Capture *capture_of(u64 id) {
  for (auto &c : emulator.captures)
    if (c->id == id) return c.get();
  return nullptr;
}

EXPORT int cuStreamCreate(Stream **stream, unsigned flags) {
  ENTER(kContext);
  if (flags > 1) return kInvalidValue;
  *stream = new Stream;
  (*stream)->blocking = flags == 0, (*stream)->context = current;
  emulator.streams.insert(*stream);
  return 0;
}

static void end(Capture *c) {
  c->graph->capturing--;
  for (Stream *s : c->streams) {
    s->capture = nullptr;
    s->after.clear();
  }
  for (auto it = emulator.captures.begin(); it != emulator.captures.end(); ++it)
    if (it->get() == c) {
      emulator.captures.erase(it);
      return;
    }
}

EXPORT int cuStreamDestroy(Stream *s) {
  ENTER_RELEASE(kContext);
  if (!emulator.streams.count(s)) return kInvalidHandle;
  if (s->capture) {
    Capture *c = s->capture;
    complain(0, "a stream destroyed while it was capturing");
    invalidate(c);
    c->streams.erase(s);
    if (c->origin == s) end(c);
  }
  emulator.streams.erase(s);
  emulator.detached.insert(s); // its queued work runs later
  return call.code;
}
EXPORT int cuStreamSynchronize(void *handle) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s) return kInvalidHandle;
  if (s->capture) {
    invalidate(s->capture);
    return kUnsupported;
  }
  if (int code = unsafe()) return code;
  if (s->legacy && blocking_capture()) return kImplicit;
  if (s->legacy) drain_all();
  drain(s);
  return emulator.sticky;
}
EXPORT int cuStreamGetCtx(void *handle, Context **context) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s) return kInvalidHandle;
  *context = s->context ? s->context : current;
  return 0;
}

static void begin(Stream *s, Graph *g, int mode, bool to_graph) {
  auto c = std::make_unique<Capture>();
  c->id = emulator.next_capture++, c->graph = g, c->mode = mode, c->thread = std::this_thread::get_id();
  c->to_graph = to_graph;
  c->origin = s;
  c->streams = {s};
  s->capture = c.get();
  g->capturing++;
  emulator.captures.insert(std::move(c));
}

EXPORT int cuStreamBeginCapture(void *handle, int mode) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s) return kInvalidHandle;
  if (s->legacy) return kUnsupported;
  if (s->capture) return kIllegalState;
  if (mode < 0 || mode > 2) return kInvalidValue;
  auto *g = new Graph;
  emulator.graphs.insert(g);
  begin(s, g, mode, false);
  return 0;
}
EXPORT int cuStreamBeginCaptureToGraph(void *handle, void *graph, Node *const *after, const void *, size_t count, int mode) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s) return kInvalidHandle;
  if (s->legacy) return kUnsupported;
  if (s->capture) return kIllegalState;
  Graph *g = graph_of(graph);
  if (!g || mode < 0 || mode > 2) return kInvalidValue;
  for (size_t i = 0; i < count; i++)
    if (!g->has(after[i])) return kInvalidValue;
  begin(s, g, mode, true);
  s->after.assign(after, after + count);
  return 0;
}

static void before(Node *n, std::set<Node *> &all) {
  if (!all.insert(n).second) return;
  for (Node *p : n->after) before(p, all);
}

EXPORT int cuStreamEndCapture(void *handle, Graph **graph) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (graph) *graph = nullptr;
  if (!s) return kInvalidHandle;
  Capture *c = s->capture;
  if (!c) return kIllegalState;
  if (c->mode != kRelaxed && c->thread != std::this_thread::get_id()) {
    invalidate(c);
    return kWrongThread;
  }
  if (c->origin != s) {
    invalidate(c);
    return kUnmatched;
  }
  int code = c->invalid ? kInvalidated : 0;
  if (!code && c->streams.size() > 1) {
    std::set<Node *> joined;
    for (Node *n : s->after) before(n, joined);
    for (Stream *other : c->streams)
      for (Node *n : other->after)
        if (!joined.count(n)) code = kUnjoined;
  }
  Graph *g = c->graph;
  bool own = !c->to_graph;
  end(c);
  if (open_body(g)) code = complain(kUnknown, "a capture ended while the body of a conditional of it was being captured");
  if (broken_body(g)) code = complain(kUnknown, "a capture ended whose conditional has a body that was invalidated: drivers crash");
  if (code) {
    if (own) {
      forget_bodies(g);
      emulator.graphs.erase(g);
      delete g;
    } else {
      g->dead = true;
    }
    return code;
  }
  if (graph) *graph = g;
  return 0;
}

static int legacy_query(Stream *s) { return s->legacy && blocking_capture() ? kImplicit : 0; }

EXPORT int cuStreamIsCapturing(void *handle, int *status) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s) return kInvalidHandle;
  if (int code = legacy_query(s)) return code;
  *status = !s->capture ? 0 : s->capture->invalid ? 2 : 1;
  return 0;
}
EXPORT int cuStreamGetCaptureInfo(void *handle, int *status, u64 *id, Graph **graph, Node *const **after, const void **edges, size_t *count) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s) return kInvalidHandle;
  if (int code = legacy_query(s)) return code;
  *status = !s->capture ? 0 : s->capture->invalid ? 2 : 1;
  if (*status != 1) return 0;
  s->told = s->after;
  s->edges.assign(s->told.size() + 1, 0);
  *id = s->capture->id;
  *graph = s->capture->graph;
  *after = s->told.data();
  *edges = s->edges.data();
  *count = s->told.size();
  return 0;
}
EXPORT int cuStreamUpdateCaptureDependencies(void *handle, Node **nodes, const void *, size_t count, unsigned flags) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s) return kInvalidHandle;
  if (!s->capture) return kIllegalState;
  if (s->capture->invalid) return kInvalidated;
  if (flags > 1) return kInvalidValue;
  for (size_t i = 0; i < count; i++)
    if (!s->capture->graph->has(nodes[i])) return kInvalidValue;
  if (flags == 1) s->after.clear();
  s->after.insert(s->after.end(), nodes, nodes + count);
  return 0;
}
EXPORT int cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER(kNothing);
  if (*mode < 0 || *mode > 2) return kInvalidValue;
  if (emulator.sticky) return emulator.sticky; // it may return errors of earlier work, as the driver's manual says
  std::swap(*mode, thread_mode);
  return 0;
}

EXPORT int cuEventCreate(Event **event, unsigned) {
  ENTER(kContext);
  *event = new Event;
  emulator.events.insert(*event);
  return 0;
}
EXPORT int cuEventDestroy(Event *e) {
  ENTER_RELEASE(kContext);
  if (!emulator.events.erase(e)) return kInvalidHandle;
  delete e;
  return call.code;
}
EXPORT int cuEventRecord(Event *e, void *handle) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  bool recording;
  if (!emulator.events.count(e)) return kInvalidHandle;
  if (int code = usable_stream(s, &recording)) return code;
  e->recorded = true;
  e->stream = s;
  e->position = s->queued;
  e->capture = recording ? s->capture->id : 0;
  e->after = s->after;
  return 0;
}
EXPORT int cuStreamWaitEvent(void *handle, Event *e, unsigned) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  if (!s || !emulator.events.count(e)) return kInvalidHandle;
  if (s->capture && s->capture->invalid) return kInvalidated;
  if (!e->recorded) return 0;
  if (!e->capture) {
    if (s->capture) {
      invalidate(s->capture);
      return kIsolation;
    }
    Stream *target = e->stream;
    u64 position = e->position;
    if (target && target != s)
      place(s, [target, position] {
        drain(target, position);
      });
    return 0;
  }
  Capture *c = capture_of(e->capture);
  if (!c) return kInvalidValue;
  if (c->invalid) return kInvalidated;
  if (s->legacy) {
    invalidate(c);
    return kImplicit;
  }
  if (s->capture && s->capture != c) {
    invalidate(s->capture);
    return kMerge;
  }
  s->capture = c;
  c->streams.insert(s);
  for (Node *n : e->after) {
    bool known = false;
    for (Node *own : s->after) known = known || own == n;
    if (!known) s->after.push_back(n);
  }
  return 0;
}
static int wait_for(Event *e) {
  if (!emulator.events.count(e)) return kInvalidHandle;
  if (int code = unsafe()) return code;
  if (e->capture) {
    if (Capture *c = capture_of(e->capture)) invalidate(c);
    return kCapturedEvent;
  }
  if (e->stream) drain(e->stream, e->position);
  return emulator.sticky;
}
EXPORT int cuEventSynchronize(Event *e) {
  ENTER(kContext);
  return wait_for(e);
}
EXPORT int cuEventQuery(Event *e) {
  ENTER(kContext);
  return wait_for(e);
}
