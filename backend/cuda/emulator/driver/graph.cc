// Graphs, conditional nodes and user objects.

#include "emulator.h"

#include <cstdio>

// Offsets in the parameters of nodes. The emulator reads these parameters byte by byte, which checks the layout in
// declarations.h independently.
enum {
  kNodeBytes = 256, kUnion = 16,
  kConditionalHandle = 0, kConditionalType = 8, kConditionalSize = 12, kConditionalBodies = 16, kConditionalContext = 24,
};

bool Graph::conditional() const {
  for (auto &n : nodes)
    if (n->type == kConditional) return true;
  return false;
}

bool Graph::has(const Node *node) const {
  for (auto &n : nodes)
    if (n.get() == node) return true;
  return false;
}

// broken returns whether a node is of a kind that the driver gets wrong.
static bool broken(const Node *n) {
  const Node *owner = n->graph->owner;
  if (n->type == kConditional) {
    if (!owner) return n->conditional == kWhile && emulator.broken & kBrokenWhile;
    if (owner->conditional == kIf) return emulator.broken & (n->conditional == kIf ? kBrokenIfInIf : kBrokenWhileInIf);
    return emulator.broken & (n->conditional == kIf ? kBrokenIfInWhile : kBrokenWhileInWhile);
  }
  if (n->type != kKernel || !owner || !(emulator.broken & kBrokenKernel)) return false;
  const std::string &name = n->function->name; // the kernels that decide conditionals are not concerned
  return name.rfind("trackgen_", 0) != 0 || name == "trackgen_count";
}
static bool broken(const Node *n, int how) { return emulator.failure == how && broken(n); }

void release_object(UserObject *o, unsigned count) {
  o->references -= count;
  if (o->references) return;
  emulator.objects.erase(o);
  std::thread([o] {
    in_destructor = true;
    o->destroy(o->pointer);
  }).join();
  delete o;
}

Graph::~Graph() {
  for (u64 h : handles) emulator.handles.erase(h);
  for (auto &[o, count] : objects) release_object(o, count);
}

Runnable::~Runnable() {
  for (auto &[o, count] : objects) release_object(o, count);
  if (emulator.graphs.count(source)) source->executables--;
}

EXPORT int cuUserObjectCreate(UserObject **object, void *pointer, void (*destroy)(void *), unsigned references, unsigned flags) {
  ENTER(kNothing);
  if (flags != 1 || references < 1) return kInvalidValue;
  *object = new UserObject{pointer, destroy, references};
  emulator.objects.insert(*object);
  return 0;
}
EXPORT int cuUserObjectRelease(UserObject *o, unsigned count) {
  ENTER_RELEASE(kNothing);
  if (!emulator.objects.count(o) || count > o->references) return kInvalidValue;
  release_object(o, count);
  return call.code;
}
EXPORT int cuGraphRetainUserObject(Graph *g, UserObject *o, unsigned count, unsigned flags) {
  ENTER(kNothing);
  if (!emulator.graphs.count(g) || !emulator.objects.count(o) || flags > 1) return kInvalidValue;
  if (flags == 0) o->references += count;
  g->objects[o] += count;
  return 0;
}

EXPORT int cuGraphCreate(Graph **graph, unsigned flags) {
  ENTER(kNothing);
  if (flags) return kInvalidValue;
  *graph = new Graph;
  emulator.graphs.insert(*graph);
  return 0;
}
// A body is not in emulator.graphs, because it cannot be destroyed or instantiated.
static std::set<Graph *> bodies;

void forget_bodies(Graph *g) {
  for (auto &n : g->nodes)
    for (auto &b : n->bodies) {
      bodies.erase(b.get());
      forget_bodies(b.get());
    }
}

Graph *graph_of(void *handle) {
  Graph *g = (Graph *)handle;
  return (emulator.graphs.count(g) || bodies.count(g)) && !g->dead ? g : nullptr;
}

static bool any_body(const Graph *g, bool (*is)(const Graph *)) {
  for (auto &n : g->nodes)
    for (auto &b : n->bodies)
      if (is(b.get()) || any_body(b.get(), is)) return true;
  return false;
}
bool broken_body(const Graph *g) {
  return any_body(g, [](const Graph *b) { return b->dead; });
}
bool open_body(const Graph *g) {
  return any_body(g, [](const Graph *b) { return b->capturing > 0; });
}

EXPORT int cuGraphDestroy(Graph *g) {
  ENTER_RELEASE(kNothing);
  if (!emulator.graphs.count(g)) return kInvalidValue;
  if (g->capturing) return kIllegalState;
  if (g->dead) return complain(kInvalidValue, "the graph of an invalidated capture destroyed: drivers crash");
  emulator.graphs.erase(g);
  forget_bodies(g);
  delete g;
  return call.code;
}

EXPORT int cuGraphConditionalHandleCreate(u64 *handle, Graph *g, Context *context, unsigned initial, unsigned flags) {
  ENTER(kContext);
  if (!graph_of(g)) return kInvalidHandle;
  if (context != current || flags > 1) return kInvalidValue;
  *handle = emulator.next_handle++;
  emulator.handles[*handle] = Handle{g->root(), initial, flags == 1};
  g->root()->handles.insert(*handle);
  return 0;
}

EXPORT int cuGraphAddNode(Node **node, Graph *g, Node *const *after, const void *, size_t count, void *p) {
  ENTER(kContext);
  if (!graph_of(g)) return kInvalidHandle;
  auto n = std::make_unique<Node>();
  n->graph = g;
  n->type = field<int>(p, 0);
  for (size_t i = 4; i < 16; i++)
    if (field<char>(p, i)) return complain(kInvalidValue, "reserved bytes of CUgraphNodeParams are not zero");
  for (size_t i = 0; i < count; i++) {
    if (!g->has(after[i])) return kInvalidValue;
    n->after.push_back(after[i]);
  }
  const char *u = (const char *)p + kUnion;
  switch (n->type) {
  case kEmpty:
  case kHost:
  case kEventWait:
  case kEventRecord:
  case kMemAlloc:
  case kMemFree: break; // these do nothing here, and are refused in the body of a conditional
  case kConditional: {
    n->handle = field<u64>(u, kConditionalHandle);
    n->conditional = field<int>(u, kConditionalType);
    unsigned size = field<unsigned>(u, kConditionalSize);
    auto h = emulator.handles.find(n->handle);
    if (h == emulator.handles.end() || h->second.used || h->second.root != g->root() ||
        field<Context *>(u, kConditionalContext) != current)
      return kInvalidValue;
    if (broken(n.get(), kFailsWhenAdded)) return kNotSupported;
    if (n->conditional == kWhile ? size != 1 : n->conditional != kIf || size < 1 || size > 2) return kInvalidValue;
    if (size == 2 && emulator.version < 12080) return kInvalidValue;
    if (size == 2 && emulator.version < 13000) return complain(kInvalidValue, "an IF node with an else: drivers before 13.0 get it wrong");
    h->second.used = true;
    static std::list<std::vector<Graph *>> told; // what bodies points to lives as long as the node
    told.emplace_back();
    for (unsigned i = 0; i < size; i++) {
      n->bodies.push_back(std::make_unique<Graph>());
      n->bodies.back()->owner = n.get();
      bodies.insert(n->bodies.back().get());
      told.back().push_back(n->bodies.back().get());
    }
    Graph **list = told.back().data();
    memcpy((char *)p + kUnion + kConditionalBodies, &list, sizeof list);
    break;
  }
  default: return kInvalidValue;
  }
  *node = n.get();
  g->nodes.push_back(std::move(n));
  return 0;
}

// check performs the checks of instantiation: bodies may only hold kernels, copies, fills, empty nodes and
// conditionals. It stores in result what the parameters of the instantiation receive.
static int check(Graph *g, bool body, int *result) {
  for (auto &n : g->nodes) {
    if (body && n->type != kKernel && n->type != kMemcpy && n->type != kMemset && n->type != kEmpty && n->type != kConditional) {
      *result = 1;
      return kInvalidValue;
    }
    if (broken(n.get(), kFailsWhenInstantiated)) {
      *result = 1;
      return kInvalidValue;
    }
    for (auto &b : n->bodies) {
      if (b->capturing || b->dead) return kInvalidValue;
      if (b->nodes.empty() && emulator.version < 12080) return complain(kUnknown, "an empty body: drivers before 12.8 hang");
      if (int code = check(b.get(), true, result)) return code;
    }
  }
  return 0;
}

static void copy_graph(const Graph *from, Graph *to) {
  std::map<const Node *, Node *> copies;
  for (auto &n : from->nodes) {
    auto c = std::make_unique<Node>();
    c->type = n->type, c->graph = to, c->function = n->function, c->parameters = n->parameters;
    c->target = n->target, c->source = n->source, c->bytes = n->bytes, c->pattern = n->pattern;
    c->handle = n->handle, c->conditional = n->conditional, c->grid = n->grid, c->block = n->block;
    for (auto &b : n->bodies) {
      c->bodies.push_back(std::make_unique<Graph>());
      c->bodies.back()->owner = c.get();
      copy_graph(b.get(), c->bodies.back().get());
    }
    copies[n.get()] = c.get();
    to->nodes.push_back(std::move(c));
  }
  for (auto &n : from->nodes)
    for (Node *before : n->after) copies[n.get()]->after.push_back(copies[before]);
}

EXPORT int cuGraphInstantiateWithParams(Executable **executable, Graph *g, void *p) {
  ENTER(kContext);
  int result = 0;
  auto tell = [&](int code) {
    memcpy((char *)p + 24, &result, sizeof result);
    return code;
  };
  if (bodies.count(g)) return kNotSupported;
  if (!emulator.graphs.count(g) || g->capturing) return kInvalidValue;
  for (u64 h : g->handles)
    if (!emulator.handles[h].used) {
      result = 5;
      return tell(kInvalidValue);
    }
  if (int code = check(g, false, &result)) return tell(code);
  if (g->conditional() && g->executables > 0) return kNotSupported;
  auto r = std::make_shared<Runnable>();
  r->source = g;
  copy_graph(g, &r->graph);
  for (auto &[o, count] : g->objects) {
    o->references += count;
    r->objects[o] += count;
  }
  g->executables++;
  *executable = new Executable{r};
  emulator.executables.insert(*executable);
  return tell(0);
}
EXPORT int cuGraphExecDestroy(Executable *e) {
  ENTER_RELEASE(kNothing);
  if (!emulator.executables.erase(e)) return kInvalidValue;
  delete e;
  return call.code;
}
EXPORT int cuGraphUpload(Executable *e, void *handle) {
  ENTER(kContext);
  if (!emulator.executables.count(e) || !stream_of(handle)) return kInvalidValue;
  return 0;
}

static const int while_limit = 1 << 20;

static int run_graph(Graph *g) {
  std::map<Node *, size_t> missing;
  std::map<Node *, std::vector<Node *>> next;
  std::vector<Node *> ready;
  for (auto &n : g->nodes) {
    std::set<Node *> before(n->after.begin(), n->after.end());
    missing[n.get()] = before.size();
    if (before.empty()) ready.push_back(n.get());
    for (Node *b : before) next[b].push_back(n.get());
  }
  while (!ready.empty()) {
    std::swap(ready[emulator.random() % ready.size()], ready.back());
    Node *n = ready.back();
    ready.pop_back();
    if (int code = run_node(n)) return code;
    for (Node *after : next[n])
      if (--missing[after] == 0) ready.push_back(after);
  }
  return 0;
}

// run_wrongly runs a node as a driver does that gets its kind wrong: it skips kernels, takes the bodies of conditionals
// that it should skip and the other way round, and runs loops once.
static int run_wrongly(Node *n) {
  if (n->type == kKernel) return 0;
  if (n->conditional == kIf && emulator.handles[n->handle].value) return 0;
  return run_graph(n->bodies[0].get());
}

int run_node(Node *n) {
  if (broken(n, kFailsWhenRun)) return emulator.sticky = kLaunchFailed;
  if (broken(n, kFailsByResult)) return run_wrongly(n);
  switch (n->type) {
  case kKernel: return run_kernel(n->function, n->grid, n->block, n->parameters);
  case kMemcpy: return run_copy(n->target, n->source, n->bytes);
  case kMemset: return run_fill(n->target, n->pattern, n->bytes);
  case kConditional: {
    Handle &h = emulator.handles[n->handle];
    if (n->conditional == kIf) {
      if (h.value) return run_graph(n->bodies[0].get());
      return n->bodies.size() > 1 ? run_graph(n->bodies[1].get()) : 0;
    }
    for (int i = 0; h.value; i++) {
      if (i == while_limit) return emulator.sticky = kLaunchTimeout;
      if (int code = run_graph(n->bodies[0].get())) return code;
    }
  }
  }
  return 0;
}

static void assign_defaults(Graph *g) {
  for (auto &n : g->nodes) {
    if (n->type == kConditional) {
      Handle &h = emulator.handles[n->handle];
      if (h.assign) h.value = h.initial;
    }
    for (auto &b : n->bodies) assign_defaults(b.get());
  }
}

EXPORT int cuGraphLaunch(Executable *e, void *handle) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  bool recording;
  if (!emulator.executables.count(e)) return kInvalidValue;
  if (int code = usable_stream(s, &recording)) return code;
  if (recording) return kNotSupported;
  place(s, [r = e->runnable] {
    if (emulator.sticky) return;
    assign_defaults(&r->graph);
    emulator.in_graph = true;
    run_graph(&r->graph);
    emulator.in_graph = false;
  });
  return 0;
}

static void print(FILE *file, Graph *g, int depth) {
  for (auto &n : g->nodes) {
    fprintf(file, "%*s\"%p\" [label=\"type %d %s\"];\n", 2 * depth, "", (void *)n.get(), n->type, n->function ? n->function->name.c_str() : "");
    for (Node *b : n->after) fprintf(file, "%*s\"%p\" -> \"%p\";\n", 2 * depth, "", (void *)b, (void *)n.get());
    for (auto &b : n->bodies) print(file, b.get(), depth + 1);
  }
}
// cuGraphGetNodes stores at most *count nodes, and the number of those that it stored in *count; without a list, the number
// of all.
EXPORT int cuGraphGetNodes(Graph *g, Node **nodes, size_t *count) {
  ENTER(kNothing);
  if (!graph_of(g) || !count) return kInvalidValue;
  size_t n = 0;
  for (auto &node : g->nodes) {
    if (nodes && n == *count) break;
    if (nodes) nodes[n] = node.get();
    n++;
  }
  *count = n;
  return 0;
}
EXPORT int cuGraphNodeGetType(Node *node, int *type) {
  ENTER(kNothing);
  for (Graph *g : emulator.graphs)
    if (g->has(node)) {
      *type = node->type;
      return 0;
    }
  return kInvalidValue;
}
EXPORT int cuGraphDebugDotPrint(Graph *g, const char *path, unsigned) {
  ENTER(kNothing);
  if (!emulator.graphs.count(g)) return kInvalidValue;
  FILE *file = fopen(path, "w");
  if (!file) return 304;
  fprintf(file, "digraph {\n");
  print(file, g, 1);
  fprintf(file, "}\n");
  fclose(file);
  return 0;
}
