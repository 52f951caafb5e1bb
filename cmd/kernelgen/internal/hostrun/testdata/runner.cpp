// Runs the kernels of one generated CUDA C file on the host. A request on the standard input is
//
//	u32 length of the entry's name, the name, u32 first item, u32 number of parameters, then for each parameter
//	u32 0 and 32 bits of a scalar, or u32 1, u32 number of elements, u32 bytes, the bytes of a buffer
//
// and the answer on the standard output the bytes of all buffers after the launch. With FIBRES lanes the kernels run on as
// many fibres, and after each barrier the lanes go on in another order. With an argument, denormals are zeros.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#ifdef FIBRES

#include <ucontext.h>

static int lane;
static void yield_lane();

#define KG_LANE lane
#define KG_LANES FIBRES
#define KG_BARRIER() yield_lane()
#define KG_SHARED static
#define KG_BLOCK kg_block
#define KG_BLOCKS 1u

#endif

#include KERNELS

typedef void entry(int first, void **arguments);

#ifdef FIBRES

static const size_t stack_size = 1 << 18;
static ucontext_t scheduler, contexts[FIBRES];
static std::vector<char> stacks[FIBRES];
static bool done[FIBRES];
static entry *running;
static int running_first;
static void **running_arguments;

static void yield_lane() {
	swapcontext(&contexts[lane], &scheduler);
}

static void run_lane() {
	running(running_first, running_arguments);
	done[lane] = true;
	swapcontext(&contexts[lane], &scheduler);
}

static void run(entry *function, int first, void **arguments) {
	static unsigned long long random = 1;
	running = function, running_first = first, running_arguments = arguments;
	for (int i = 0; i < FIBRES; i++) {
		stacks[i].resize(stack_size);
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i].data();
		contexts[i].uc_stack.ss_size = stack_size;
		makecontext(&contexts[i], run_lane, 0);
		done[i] = false;
	}
	int order[FIBRES];
	for (int i = 0; i < FIBRES; i++) {
		order[i] = i;
	}
	for (;;) {
		for (int i = FIBRES - 1; i > 0; i--) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			std::swap(order[i], order[(random >> 33) % (unsigned)(i + 1)]);
		}
		int finished = 0;
		for (int i : order) {
			lane = i;
			swapcontext(&scheduler, &contexts[i]);
			finished += done[i];
		}
		if (finished == FIBRES) {
			return;
		}
		if (finished > 0) {
			fprintf(stderr, "%d of %d lanes ended while the others wait at a barrier\n", finished, FIBRES);
			exit(3);
		}
	}
}

#else

static void run(entry *function, int first, void **arguments) { function(first, arguments); }

#endif

static void flush_denormals() {
#ifdef __SSE__
	_mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, and denormals are zeros
#endif
}

static void read_all(void *to, size_t bytes) {
	if (bytes > 0 && fread(to, 1, bytes, stdin) != bytes) {
		exit(2);
	}
}

static unsigned read_word() {
	unsigned word;
	read_all(&word, sizeof word);
	return word;
}

int main(int count, char **) {
	if (count > 1) {
		flush_denormals();
	}
	for (;;) {
		unsigned length;
		if (fread(&length, 1, sizeof length, stdin) != sizeof length) {
			return 0; // no more requests
		}
		std::string name(length, ' ');
		read_all(&name[0], length);
		int first = (int)read_word();
		unsigned parameters = read_word();
		// Each buffer lies in memory of its own, of its exact size, so that a sanitizer sees the ends.
		std::vector<unsigned> words(2 * parameters);
		std::vector<void *> buffers(parameters, nullptr), arguments;
		std::vector<size_t> sizes(parameters, 0);
		for (unsigned i = 0; i < parameters; i++) {
			bool buffer = read_word() == 1;
			words[2 * i] = read_word();
			if (!buffer) {
				arguments.push_back(&words[2 * i]);
				continue;
			}
			sizes[i] = read_word();
			buffers[i] = malloc(sizes[i] + (sizes[i] == 0));
			read_all(buffers[i], sizes[i]);
			arguments.push_back(&buffers[i]);
			arguments.push_back(&words[2 * i]);
		}
		entry *function = (entry *)dlsym(RTLD_DEFAULT, (name + "_host").c_str());
		if (function == nullptr) {
			fprintf(stderr, "no entry %s\n", name.c_str());
			return 4;
		}
		run(function, first, arguments.data());
		for (unsigned i = 0; i < parameters; i++) {
			if (sizes[i] > 0) {
				fwrite(buffers[i], 1, sizes[i], stdout);
			}
			free(buffers[i]);
		}
		fflush(stdout);
	}
}
