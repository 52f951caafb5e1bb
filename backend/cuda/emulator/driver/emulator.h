// An in-process stand-in for libcuda. It implements the calls of the driver interface, enforces the driver's rules with
// the driver's error codes, and runs kernels that were compiled for the host, or interprets their PTX. One mutex guards
// everything.
//
// Work on streams is queued and runs late, in a random order that respects streams and events and depends on a seed.
// The nodes of a graph run in a random topological order. So a missing dependency shows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ptx.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

using std::size_t;
typedef uint64_t u64;

// Results of the driver.
enum {
  kInvalidValue = 1, kOutOfMemory = 2, kInvalidContext = 201, kInvalidImage = 200, kNoBinary = 209, kInvalidPtx = 218,
  kInvalidHandle = 400, kIllegalState = 401, kNotFound = 500, kIllegalAddress = 700, kLaunchTimeout = 702, kLaunchFailed = 719,
  kNotSupported = 801, kUnsupported = 900, kInvalidated = 901, kMerge = 902, kUnmatched = 903, kUnjoined = 904,
  kIsolation = 905, kImplicit = 906, kCapturedEvent = 907, kWrongThread = 908, kUnknown = 999,
};
enum { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };
enum {
  kKernel = 0, kMemcpy = 1, kMemset = 2, kHost = 3, kEmpty = 5, kEventWait = 6, kEventRecord = 7, kMemAlloc = 10, kMemFree = 11,
  kConditional = 13
};
enum { kIf = 0, kWhile = 1 };

// What emulator_break makes the driver get wrong, as bits, and how.
enum {
  kBrokenKernel = 1, kBrokenIfInIf = 2, kBrokenWhileInIf = 4, kBrokenIfInWhile = 8, kBrokenWhileInWhile = 16, kBrokenWhile = 32
};
enum { kFailsByResult = 0, kFailsWhenAdded = 1, kFailsWhenInstantiated = 2, kFailsWhenRun = 3 };

// A kernel of a module: its parameters as the PTX declares them, and the host code that runs all items of a launch.
struct Function {
  std::string name;
  std::vector<size_t> sizes; // in bytes, of each parameter
  void (*run)(void **parameters) = nullptr; // null: a kernel that sets conditionals, or one that is interpreted
  std::shared_ptr<const ptx::Module> code;  // null if kernels run on the host
  u64 identity = 0;                         // of its module
  int carveout = -1;                        // see emulator_carveout
  struct Context *context = nullptr;        // of its module
};

struct Module {
  u64 identity = 0; // hash of its PTX
  std::map<std::string, std::unique_ptr<Function>> functions;
};

// A call of the linker: the text that was added, and the image that it makes of it.
struct Link {
  std::string text, image;
};

struct Graph;

struct Node {
  int type = kEmpty;
  Graph *graph = nullptr;
  std::vector<Node *> after;
  Function *function = nullptr;
  unsigned grid = 0, block = 0; // of a launch
  std::vector<std::vector<uint8_t>> parameters;
  u64 target = 0, source = 0, bytes = 0; // memcpy and memset nodes
  uint32_t pattern = 0;
  u64 handle = 0; // conditional nodes
  int conditional = kIf;
  std::vector<std::unique_ptr<Graph>> bodies;
};

struct UserObject {
  void *pointer;
  void (*destroy)(void *);
  unsigned references;
};

struct Graph {
  std::list<std::unique_ptr<Node>> nodes;
  Node *owner = nullptr;        // the conditional node, if this is a body
  std::set<u64> handles;        // made on this graph or a body inside it (root only)
  std::map<UserObject *, unsigned> objects;
  int executables = 0;          // number alive
  int capturing = 0;            // number of captures into it
  bool dead = false;            // a capture into it was invalidated, so that the driver has freed it
  Graph *root() { return owner ? owner->graph->root() : this; }
  bool conditional() const;
  bool has(const Node *node) const;
  ~Graph();
};

// What an executable graph runs. Queued work keeps it alive.
struct Runnable {
  Graph graph; // a copy
  Graph *source = nullptr;
  std::map<UserObject *, unsigned> objects;
  ~Runnable();
};

struct Executable {
  std::shared_ptr<Runnable> runnable;
};

struct Stream;

struct Capture {
  u64 id;
  Graph *graph;
  int mode;
  std::thread::id thread;
  bool invalid = false;
  bool to_graph = false; // begun by BeginCaptureToGraph, so that the capture does not own the graph
  Stream *origin;
  std::set<Stream *> streams;
};

struct Stream {
  bool blocking = true;
  bool legacy = false;
  Context *context = nullptr; // of the legacy stream: null, because each context has one
  std::deque<std::function<void()>> queue;
  u64 queued = 0, done = 0;
  Capture *capture = nullptr;
  std::vector<Node *> after; // in a capture: the nodes that the next node depends on
  std::vector<Node *> told;  // the nodes that GetCaptureInfo has returned
  std::vector<u64> edges;
};

struct Event {
  bool recorded = false;
  Stream *stream = nullptr; // on which it was recorded
  u64 position = 0;
  u64 capture = 0; // identity of the capture in which it was recorded
  std::vector<Node *> after;
};

struct Allocation {
  size_t bytes;
  std::unique_ptr<uint8_t[]> raw; // with a margin on both sides
  bool host;
  std::shared_ptr<ptx::Shadow> shadow; // made by the first interpreted kernel that uses the memory
  bool managed = false;                // made by cuMemAllocManaged
  bool pool = false;                   // made by cuMemAllocAsync: it belongs to no context
  int ordinal = 0;                     // of its device, see emulator_pointer
  bool other = false;                  // whether it belongs to another context, see emulator_pointer
  size_t mapped = SIZE_MAX;            // how many bytes from its beginning are mapped, see emulator_pointer
};

struct Handle {
  Graph *root;
  unsigned initial;
  bool assign;
  bool used = false;
  unsigned value = 0xdead;
};

struct Context {
  int references = 0;
  int ordinal = 0; // of its device
};
const int kMostDevices = 8;

struct Emulator {
  std::recursive_mutex mutex;
  int version = 12080;
  std::mt19937_64 random{1};
  // What cuDeviceGetAttribute returns, else 0: one multiprocessor of compute capability 7.0 with its limits, and clocks.
  std::map<int, int> attributes{{10, 32}, {13, 1500000}, {16, 1}, {36, 900000}, {37, 256}, {39, 2048}, {75, 7}, {81, 98304},
      {82, 65536}};
  size_t device_bytes = size_t(2) << 30, host_bytes = size_t(4) << 30;
  size_t device_used = 0, host_used = 0;
  int sticky = 0;
  int registers = 32, shared = 0; // of each kernel, see emulator_resources

  int devices = 1; // see count_devices
  Context contexts[kMostDevices]; // the primary context of each device
  Stream legacy;
  std::set<Stream *> streams;
  std::set<Stream *> detached; // destroyed, but with work that has not run
  std::set<Event *> events;
  std::set<Module *> modules;
  std::set<Link *> links;
  std::set<Function *> functions;
  std::set<Graph *> graphs;
  std::set<Executable *> executables;
  std::set<UserObject *> objects;
  std::set<std::unique_ptr<Capture>> captures;
  std::map<u64, Allocation> allocations;
  std::map<u64, Handle> handles;
  std::map<std::pair<u64, std::string>, Function> host_code; // by the identity of the module
  u64 next_capture = 1, next_handle = 1;
  bool in_graph = false;

  bool started = false;   // by emulator_start
  bool interpret = false; // modules are interpreted; see emulator_start
  bool measure = false;   // interpreted launches count into figures
  std::map<std::pair<u64, std::string>, ptx::Figures> figures; // by the identity of the module
  std::string told;       // what the last sticky error means
  int broken = 0, failure = 0; // what the driver gets wrong in the bodies of conditionals, and how: kBroken and kFails

  std::map<std::string, long> calls;
  long total = 0;
  std::map<std::string, std::pair<long, int>> fail_nth; // number of calls before the one that fails, and its code
  long fail_at = 0; // value of total at which a call fails; 0: never
  int fail_code = 0;
  std::string failed, complaint;
};

extern Emulator emulator;
extern thread_local Context *current;
extern thread_local int thread_mode;
extern thread_local bool in_destructor;
extern thread_local bool of_test; // true during emulator_call

// What a call requires.
enum Need { kNothing, kContext };

// One call of the driver. It holds the lock, is counted, and fails if a test asked for that.
struct Call {
  std::unique_lock<std::recursive_mutex> lock;
  int code = 0;
  bool injected = false;
  Call(const char *name, Need need);
};

#define ENTER(need)                                                                                                    \
  Call call(__func__, need);                                                                                           \
  if (call.code) return call.code

// ENTER_RELEASE is for calls that release something. With an injected failure, such a call still releases it, as the
// driver may.
#define ENTER_RELEASE(need)                                                                                            \
  Call call(__func__, need);                                                                                           \
  if (call.code && !call.injected) return call.code

// wait_while_held keeps a call waiting as long as a test holds its function.
void wait_while_held(const char *name);
// complain records a mistake that the driver would not report. It returns code.
int complain(int code, const std::string &what);
int references();
bool is_context(const Context *context);
int count_devices();
// unsafe is called by functions that the capture modes forbid. It invalidates the captures that forbid the call and
// returns the error, or 0.
int unsafe();
void invalidate(Capture *c);
// graph_of returns a live graph, or a live body of a conditional, for a handle, and null for any other handle.
Graph *graph_of(void *handle);
// broken_body returns whether a body inside a graph is dead, and open_body whether one is being captured.
bool broken_body(const Graph *g);
bool open_body(const Graph *g);
void forget_bodies(Graph *g);

Stream *stream_of(void *handle);
// place queues work on a stream that is not capturing.
void place(Stream *s, std::function<void()> work);
void drain(Stream *s, u64 position);
inline void drain(Stream *s) { drain(s, s->queued); }
void drain_all();
// usable_stream checks a stream before work is put on it. *recording is set to whether the work is to be recorded.
int usable_stream(Stream *s, bool *recording);
Node *append(Stream *s, int type);
int start_program();
void release_object(UserObject *o, unsigned count);
Capture *capture_of(u64 id);

// range returns whether a range lies in live memory, of the host or of the device.
bool range(u64 address, u64 bytes, bool host);
void check_margins(u64 address);
int run_node(Node *n);
int run_kernel(Function *f, unsigned grid, unsigned block, std::vector<std::vector<uint8_t>> &parameters);
unsigned max_threads(const Function *f);
// interpret runs a kernel by the interpreter of PTX.
int interpret(Function *f, unsigned grid, unsigned block, const std::vector<std::vector<uint8_t>> &parameters);
// run_host runs the host code of a kernel, which uses the allocations at bases. Tests choose what becomes of denormals.
void run_host(Function *f, void **parameters, std::vector<u64> bases);
int run_copy(u64 target, u64 source, u64 bytes);
int run_fill(u64 target, uint32_t pattern, u64 count);

template <class T> T field(const void *p, size_t offset) {
  T value;
  memcpy(&value, static_cast<const char *>(p) + offset, sizeof value);
  return value;
}
