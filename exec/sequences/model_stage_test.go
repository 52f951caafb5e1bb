package sequences

import "fmt"

// performHost runs stages, and the host operations of HOST stages.
func (m *model) performHost(c *call) (verdict, bool) {
	of := m.context(c.arg(0))
	switch c.op {
	case "stage":
		if of == nil {
			return skipped, true
		}
		return m.stage(c, of), true
	case "host.read", "host.upload", "host.sync":
		if of == nil {
			return skipped, true
		}
		return m.hostOperation(c, of), true
	}
	return verdict{}, false
}

func (m *model) stage(c *call, of *context) verdict {
	if of.cell.err != "" {
		return says(of.cell.err)
	}
	if refused(of) {
		refuse(of)
		return says(of.cell.err)
	}
	if m.odd(of) {
		return skipped
	}
	outer := of.slot
	of.slot = &slot{class: c.arg(1)}
	m.depth++
	m.interpret(c.body)
	m.depth--
	of.slot.closed = true
	of.slot = outer
	return says(of.cell.err)
}

// hostOperation returns errors in the order of R85. The rules do not define it inside a body that is not on the device.
func (m *model) hostOperation(c *call, of *context) verdict {
	switch {
	case of.cell.err != "":
		return says(of.cell.err)
	case refused(of) || m.odd(of):
		return skipped
	case of.slot == nil:
		return says("capture")
	case of.slot.class != "host":
		return says("invalid")
	case of.inDevice:
		return says("capture")
	case of.stream.state() != "none":
		return says("notcapturable")
	case of.body != nil:
		return skipped
	case c.op == "host.sync":
		if of.stream.closed {
			return says("closed")
		}
		m.host.merge(of.stream.before)
		return says("")
	}
	v, wrong := m.array(c.arg(1))
	if wrong != "" {
		return says(wrong)
	}
	if at := c.int(2); c.op == "host.read" && (at < 0 || at >= len(v.elements())) {
		return says("invalid")
	}
	if of.stream.closed {
		return says("closed")
	}
	if c.op == "host.read" {
		if m.racy(of.stream, []*memory{v.memory}, nil) {
			return skipped
		}
		m.use(of.stream, []*memory{v.memory}, nil)
		m.host.merge(of.stream.before)
		return says(fmt.Sprint("ok ", v.elements()[c.int(2)]))
	}
	if m.racy(of.stream, nil, []*memory{v.memory}) {
		return skipped
	}
	m.use(of.stream, nil, []*memory{v.memory})
	m.host.merge(of.stream.before)
	for i := range v.elements() {
		v.elements()[i] = int32(c.int(2) + i)
	}
	return says("")
}

// envs is the number of envs in the seeds of a program, the length of the mask arrays.
const envs = 4

// seedState is the state of seeds: R100 to R116.
type seedState struct{ seeds, epoch, winner *memory }

func newSeedState() seedState {
	perEnv := func() *memory { return &memory{values: make([]int32, envs)} }
	s := seedState{perEnv(), perEnv(), perEnv()}
	for e := range envs {
		s.seeds.values[e] = int32(40 + e)
	}
	return s
}

// hash implements the hash of D1.
func hash(s uint32) uint32 {
	s = s*747796405 + 2891336453
	s = (s>>(s>>28+4) ^ s) * 277803737
	return s>>22 ^ s
}

// effective implements R105.
func effective(seed, epoch int32) int32 {
	if epoch == 0 {
		return seed
	}
	return int32(hash(uint32(seed)^hash(uint32(epoch)*0x9E3779B9)) & 0x7FFFFFFF)
}

// seedArguments returns the arrays that a call names, and the work that reads them.
func (m *model) seedArguments(c *call) (named []view, w work) {
	for i := 1; i < len(c.args); i++ {
		v, wrong := m.array(c.arg(i))
		if wrong == "" && c.op != "seed.ids" && c.op != "anyset" && len(v.elements()) != envs {
			wrong = "invalid"
		}
		if w.invalid == "" {
			w.invalid = wrong
		}
		named = append(named, v)
		if wrong == "" {
			w.reads = append(w.reads, v.memory)
		}
	}
	return named, w
}

// performSeeds runs the calls of a seed state.
func (m *model) performSeeds(c *call) (verdict, bool) {
	s := m.seeds
	named, w := m.seedArguments(c)
	marked := func(e int) bool { return named[len(named)-1].elements()[e] != 0 }
	forEnvs := func(change func(e int)) func() {
		return func() {
			for e := range envs {
				change(e)
			}
		}
	}
	switch c.op {
	case "seed.advance":
		w.writes, w.run = []*memory{s.epoch}, forEnvs(func(e int) { s.epoch.values[e]++ })
	case "seed.advancemasked":
		w.writes = []*memory{s.epoch}
		w.run = forEnvs(func(e int) {
			if marked(e) {
				s.epoch.values[e]++
			}
		})
	case "seed.reset":
		w.writes, w.run = []*memory{s.epoch}, forEnvs(func(e int) { s.epoch.values[e] = 0 })
	case "seed.resetmasked":
		w.writes = []*memory{s.epoch}
		w.run = forEnvs(func(e int) {
			if marked(e) {
				s.epoch.values[e] = 0
			}
		})
	case "seed.set":
		w.writes = []*memory{s.seeds, s.epoch}
		w.run = forEnvs(func(e int) { s.seeds.values[e], s.epoch.values[e] = named[0].elements()[e], 0 })
	case "seed.ids":
		m.assignWork(named, &w)
	case "seed.effective", "seed.effectivemasked":
		m.effectiveWork(c, named, &w)
	case "anyset":
		if named[0].memory == named[1].memory {
			return skipped, true
		}
		m.anySetWork(named, &w)
	default:
		return verdict{}, false
	}
	return m.emit(c.arg(0), w), true
}

// assignWork completes the work of SetIDs: among duplicate ids the highest position wins, and unknown ids are ignored
// (D20).
func (m *model) assignWork(named []view, w *work) {
	s := m.seeds
	if w.invalid != "" {
		return
	}
	if len(named[0].elements()) != len(named[1].elements()) {
		w.invalid = "invalid"
	}
	w.writes = []*memory{s.seeds, s.epoch, s.winner}
	w.run = func() {
		ids, values := named[0].elements(), named[1].elements()
		for k, id := range ids {
			if id >= 0 && id < envs {
				s.seeds.values[id], s.epoch.values[id] = values[k], 0
			}
		}
	}
}

// effectiveWork completes the work of effective seeds (R109).
func (m *model) effectiveWork(c *call, named []view, w *work) {
	s := m.seeds
	if w.invalid != "" {
		return
	}
	out := named[0]
	masked := c.op == "seed.effectivemasked"
	if masked && out.memory == named[1].memory {
		w.invalid = "invalid"
	}
	w.reads = append(w.reads[1:], s.seeds, s.epoch)
	w.writes = []*memory{out.memory}
	w.run = func() {
		for e := range envs {
			if !masked || named[1].elements()[e] != 0 {
				out.elements()[e] = effective(s.seeds.values[e], s.epoch.values[e])
			}
		}
	}
}

// anySetWork completes the work of R30: the flag is written even if the mask turns out to be useless.
func (m *model) anySetWork(named []view, w *work) {
	if w.invalid != "" {
		return
	}
	mask, flag := named[0], named[1]
	if len(flag.elements()) != 1 {
		w.invalid = "invalid"
		return
	}
	w.reads, w.writes = []*memory{mask.memory}, []*memory{flag.memory}
	w.run = func() {
		set := int32(0)
		for _, x := range mask.elements() {
			if x != 0 {
				set = 1
			}
		}
		flag.elements()[0] = set
	}
}
