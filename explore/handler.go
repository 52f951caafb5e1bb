package explore

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/trackgen-go/trackgen/explore/page"
	"github.com/trackgen-go/trackgen/explore/world"
)

// Handler returns what answers requests, for a server other than that of Serve:
//
//	GET  /           the page, and /NAME its other files
//	POST /call/NAME  a call of package world: its body is a frame with the Request and the file
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /call/{name}", s.call)
	for name, file := range page.Files() {
		pattern := "GET /" + name
		if name == page.Index {
			pattern = "GET /{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.Type)
			w.Write(file.Text) //nolint:errcheck // the reader has gone
		})
	}
	return guard(mux)
}

// call answers one call of the page.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	out := &answer{w: w, control: http.NewResponseController(w)}
	if !s.hasToken(r) {
		out.fail(http.StatusUnauthorized, world.End{Kind: "failed", Message: "the token of the link is missing or that " +
			"of an earlier run: open the link that trackgen explore prints"})
		return
	}
	select {
	case s.work <- struct{}{}:
		defer func() { <-s.work }()
	default:
		out.fail(http.StatusServiceUnavailable, world.End{Kind: "failed", Message: world.ErrBusy.Error()})
		return
	}
	request, file, err := world.ReadFrame(http.MaxBytesReader(w, r.Body, 8+world.MaxHead+world.MaxFile), world.MaxFile)
	if err != nil {
		out.fail(http.StatusBadRequest, world.End{Kind: "refused", Message: err.Error(),
			Problems: []world.Problem{{Field: "file", Allowed: fmt.Sprint("at most ", world.MaxFile, " bytes"),
				Message: err.Error()}}})
		return
	}
	err = s.world.Call(r.Context(), r.PathValue("name"), request, file, out.emit)
	switch {
	case err == nil:
	case r.Context().Err() != nil: // the page has gone, or the server ends
		out.fail(http.StatusServiceUnavailable, world.End{Kind: "failed", Message: "trackgen explore has ended"})
	default:
		out.fail(statusOf(err), world.EndOf(err))
	}
}

// statusOf returns the status of an answer that failed before its first frame.
func statusOf(err error) int {
	var refused *world.Refused
	switch {
	case errors.As(err, &refused):
		return http.StatusBadRequest
	case errors.Is(err, world.ErrBusy):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// answer is the stream of frames of a response.
type answer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
	buffer  []byte
}

// emit sends a frame. It is a world.Emit.
func (a *answer) emit(f world.Frame) error { return a.send(http.StatusOK, f) }

// fail sends the last frame of an answer that could not be completed, with the status if nothing has been sent.
func (a *answer) fail(status int, f world.End) {
	_ = a.send(status, world.Frame{Head: f}) // nobody is left to hear of another failure
}

// send sends a frame, after the status if it is the first one.
func (a *answer) send(status int, f world.Frame) (err error) {
	if a.buffer, err = f.Append(a.buffer[:0]); err != nil {
		return err
	}
	err = a.control.SetWriteDeadline(time.Now().Add(writeTime))
	if err != nil && !errors.Is(err, http.ErrNotSupported) { // a recorder of tests has no deadlines
		return err
	}
	if !a.begun {
		a.w.Header().Set("Content-Type", "application/octet-stream")
		a.w.WriteHeader(status)
		a.begun = true
	}
	if _, err := a.w.Write(a.buffer); err != nil {
		return err
	}
	return a.control.Flush()
}
