package sequences

// shrink drops calls of a program while it still fails.
func shrink(calls []call, fails func([]call) bool) []call {
	for part := max(len(calls)/2, 1); ; {
		smaller := false
		for at := 0; at < len(calls); {
			without := append(calls[:at:at], calls[min(at+part, len(calls)):]...)
			if fails(without) {
				calls, smaller = without, true
				continue
			}
			at += part
		}
		if part == 1 && !smaller {
			break
		}
		part = max(part/2, 1)
	}
	for i := range calls {
		if len(calls[i].body) == 0 {
			continue
		}
		with := func(body []call) []call {
			whole := append([]call(nil), calls...)
			whole[i].body = body
			return whole
		}
		calls = with(shrink(calls[i].body, func(body []call) bool { return fails(with(body)) }))
	}
	return calls
}
