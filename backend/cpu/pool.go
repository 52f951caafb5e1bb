package cpu

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

const (
	// handOff is the minimum time of a launch that is shared between workers. Waking a worker costs a few microseconds.
	handOff = 20 * time.Microsecond
	// chunkTime is the maximum time of a chunk, estimated from the first items. It limits how long the workers wait for
	// the last one.
	chunkTime = 50 * time.Microsecond
	// chunksPerWorker is the minimum number of chunks per worker, which balances items of unequal cost.
	chunksPerWorker = 8
	// threadBatch is what chunks of threads are multiples of, because machine code runs as many at a time. A chunk that
	// ends amid eight threads would run twice as many steps for them.
	threadBatch = widthOfAVX2
)

// pool distributes the items of a launch over persistent goroutines and the calling one. One launch at a time has the
// workers. A launch that finds them busy, or that is small, runs on its own goroutine alone.
type pool struct {
	mu     sync.Mutex // held by the launch that has the workers
	closed bool       // guarded by mu

	wake    []chan struct{} // one per worker, each with room for one token
	done    chan struct{}   // signalled by the last worker to leave a finished job
	stop    chan struct{}
	stopped sync.WaitGroup

	gate    gate
	job     job
	next    atomic.Int64 // first item that has not been taken
	failure atomic.Pointer[error]
}

// job is the current launch. It is written while the gate is shut and read by workers inside the gate.
type job struct {
	def   *kernel.Def
	run   function
	args  *kernel.Args
	n     int64
	chunk int64
}

// newPool starts workers-1 goroutines: the caller of a launch is the remaining worker.
func newPool(workers int) *pool {
	p := &pool{
		wake: make([]chan struct{}, workers-1),
		done: make(chan struct{}, 1),
		stop: make(chan struct{}),
	}
	p.stopped.Add(len(p.wake))
	for i := range p.wake {
		p.wake[i] = make(chan struct{}, 1)
		go p.worker(p.wake[i])
	}
	return p
}

// close ends the workers after the launch that has them.
func (p *pool) close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.stop)
	}
	p.mu.Unlock()
	p.stopped.Wait()
}

// run runs the items [0, n) of def by items on at most maxWorkers goroutines; 0 means all of them. It runs the first
// items itself and estimates the cost of the rest from them.
func (p *pool) run(def *kernel.Def, items function, n int32, args *kernel.Args, maxWorkers int32) error {
	workers := len(p.wake) + 1
	if maxWorkers > 0 {
		workers = min(workers, int(maxWorkers))
	}
	if workers == 1 || n <= 1 {
		return runItems(def, items, 0, n, args)
	}
	probe := int32(1)
	if !def.Group {
		probe = min(n, (min(n/64+1, 256)+threadBatch-1)/threadBatch*threadBatch)
	}
	start := time.Now()
	if err := runItems(def, items, 0, probe, args); err != nil {
		return err
	}
	// A coarse clock may show no elapsed time; assume at least a nanosecond per item.
	perItem := max(float64(time.Since(start))/float64(probe), 1)
	rest := int64(n - probe)
	if perItem*float64(rest) < float64(handOff) || !p.mu.TryLock() {
		return runItems(def, items, probe, n, args)
	}
	defer p.mu.Unlock()
	if p.closed {
		return runItems(def, items, probe, n, args)
	}
	chunk := max(1, min(rest/int64(workers*chunksPerWorker), int64(float64(chunkTime)/perItem)))
	if !def.Group {
		chunk = (chunk + threadBatch - 1) / threadBatch * threadBatch
	}
	p.job = job{def: def, run: items, args: args, n: int64(n), chunk: chunk}
	return p.share(int64(probe), workers-1)
}

// share runs the items of the job from first on, on this goroutine and on up to helpers workers.
func (p *pool) share(first int64, helpers int) error {
	p.next.Store(first)
	p.failure.Store(nil)
	p.gate.open(helpers)
	// A kernel may end this goroutine (runtime.Goexit); the workers must still leave the job before the stream continues.
	defer p.finish()
	chunks := (p.job.n - first + p.job.chunk - 1) / p.job.chunk
	for _, wake := range p.wake[:min(int64(helpers), chunks-1)] {
		select {
		case wake <- struct{}{}:
		default: // it has not yet woken up for an earlier job, and will find this one
		}
	}
	p.takeChunks()
	p.finish()
	if failure := p.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// finish shuts the gate and waits for the workers inside. A second call does nothing.
func (p *pool) finish() {
	if p.gate.shut() {
		<-p.done
	}
	p.job = job{}
}

// takeChunks runs chunks of the job until there are none left. After a failure no more chunks are taken.
func (p *pool) takeChunks() {
	j := &p.job
	for {
		last := p.next.Add(j.chunk)
		first := last - j.chunk
		if first >= j.n {
			return
		}
		if err := runItems(j.def, j.run, int32(first), int32(min(last, j.n)), j.args); err != nil {
			p.fail(err)
			return
		}
	}
}

// fail keeps the first failure and removes the remaining items.
func (p *pool) fail(err error) {
	p.next.Store(p.job.n)
	p.failure.CompareAndSwap(nil, &err)
}

// worker waits for jobs until the pool is closed.
func (p *pool) worker(wake chan struct{}) {
	ended := false
	defer func() {
		if !ended { // a kernel ended this goroutine: start a replacement
			go p.worker(wake)
			return
		}
		p.stopped.Done()
	}()
	for {
		select {
		case <-p.stop:
			ended = true
			return
		case <-wake:
			p.help()
		}
	}
}

// help takes part in the current job, if there is one with room.
func (p *pool) help() {
	if !p.gate.enter() {
		return
	}
	returned := false
	defer func() {
		if !returned {
			p.fail(&backend.KernelError{Kernel: p.job.def.Name, Err: errGoexit})
		}
		if p.gate.leave() {
			p.done <- struct{}{}
		}
	}()
	p.takeChunks()
	returned = true
}
