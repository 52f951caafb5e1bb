// Where divergent lanes meet again: at the immediate post-dominator of the branch, which is the first instruction that
// every way from the branch to the end of the kernel passes.

#include "ptx_code.h"

namespace ptx {

namespace {

// Graph is the flow of a kernel backwards, from its end, which has the number code.size().
struct Graph {
  std::vector<std::vector<u32>> after, before;
  std::vector<u32> order;   // in which a search from the end leaves the instructions
  std::vector<u32> visited; // the place in order
};
const u32 kNone = 0xffffffff;

Graph graph_of(const Kernel &k) {
  const u32 end = u32(k.code.size());
  Graph g;
  g.after.resize(end + 1);
  g.before.resize(end + 1);
  g.visited.assign(end + 1, kNone);
  for (u32 a = 0; a < end; a++) {
    const Instruction &i = k.code[a];
    if (i.flow == kBranch) g.after[a].push_back(i.target);
    if (i.flow == kReturn) g.after[a].push_back(end);
    if ((i.flow != kBranch && i.flow != kReturn) || i.predicate) g.after[a].push_back(a + 1);
    for (u32 b : g.after[a]) g.before[b].push_back(a);
  }
  return g;
}

void search(Graph *g, u32 end) {
  std::vector<bool> seen(end + 1);
  std::vector<std::pair<u32, size_t>> stack{{end, 0}};
  seen[end] = true;
  while (!stack.empty()) {
    auto &[a, next] = stack.back();
    if (next < g->before[a].size()) {
      u32 b = g->before[a][next++];
      if (!seen[b]) {
        seen[b] = true;
        stack.push_back({b, 0});
      }
      continue;
    }
    g->visited[a] = u32(g->order.size());
    g->order.push_back(a);
    stack.pop_back();
  }
}

} // namespace

// The algorithm is that of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the graph
// backwards.
void set_joins(Kernel *k) {
  const u32 end = u32(k->code.size());
  Graph g = graph_of(*k);
  search(&g, end);
  std::vector<u32> join(end + 1, kNone);
  join[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = g.order.size() - 1; n-- > 0;) {
      u32 a = g.order[n], found = kNone;
      for (u32 b : g.after[a]) {
        if (join[b] == kNone) continue;
        if (found == kNone) {
          found = b;
          continue;
        }
        for (u32 c = b; found != c;) {
          while (g.visited[found] < g.visited[c]) found = join[found];
          while (g.visited[c] < g.visited[found]) c = join[c];
        }
      }
      if (found != join[a]) {
        join[a] = found;
        changed = true;
      }
    }
  }
  for (u32 a = 0; a < end; a++) k->code[a].join = join[a] == kNone ? end : join[a]; // kNone: a loop without an end
}

} // namespace ptx
