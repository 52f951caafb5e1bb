package explore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore/world"
)

// Options of a Server.
type Options struct {
	Version string         // of TrackGen, for the page and the metadata of files
	Start   *world.Request // what the page begins with; nil: the defaults
	Log     *log.Logger    // errors of connections; nil: none
}

// Server serves the page and answers its requests.
type Server struct {
	world   *world.World
	token   string
	options Options
	work    chan struct{} // a place for each request that is answered
}

// mostRequests is the number of requests that are answered or wait at a time. Each may hold a file.
const mostRequests = 16

// New returns a server that works on a device, which must stay open until Serve has returned.
func New(device trackgen.Device, options Options) *Server {
	var token [16]byte
	rand.Read(token[:]) // never fails
	return &Server{world: world.New(device, world.Options{Version: options.Version, Start: options.Start}),
		token: hex.EncodeToString(token[:]), options: options, work: make(chan struct{}, mostRequests)}
}

// Listen opens a TCP address of the form host:port. Port 0 stands for any free one. An address without a host, which
// would stand for all interfaces, is an error.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		return nil, &trackgen.ArgumentError{Op: "explore", Argument: "address", Value: fmt.Sprintf("%q", address),
			Allowed: "host:port, such as 127.0.0.1:8080"}
	case host == "":
		return nil, &trackgen.ArgumentError{Op: "explore", Argument: "address", Value: fmt.Sprintf("%q", address),
			Allowed: "host:port with a host: 127.0.0.1 for this machine alone, 0.0.0.0 for all that reach it"}
	}
	return net.Listen("tcp", address)
}

// IsLoopback reports whether only programs of this machine reach a listener.
func IsLoopback(listener net.Listener) bool {
	address, ok := listener.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// Link returns the address of the page, with the token. A browser does not send what follows the number sign.
func (s *Server) Link(listener net.Listener) string {
	return "http://" + hostOf(listener) + "/#token=" + s.token
}

// hostOf returns an address at which a browser of this machine finds the listener.
func hostOf(listener net.Listener) string {
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return listener.Addr().String()
	}
	ip := address.IP
	if ip.IsUnspecified() {
		ip = net.IPv4(127, 0, 0, 1)
	}
	return net.JoinHostPort(ip.String(), fmt.Sprint(address.Port))
}

const (
	headerTime = 10 * time.Second // for the header of a request
	readTime   = 60 * time.Second // for a whole request
	writeTime  = 30 * time.Second // for each frame, from when it is ready
	idleTime   = 2 * time.Minute  // between two requests of a connection
	endTime    = 2 * time.Second  // for requests to notice that the server ends
)

// Serve answers requests until ctx ends, and returns nil then. When it returns, no request is being answered: their
// contexts end with ctx, and work on the device stops between two chunks of tracks. It closes the listener, and can be
// called once.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: s.Handler(), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: 1 << 14, ErrorLog: s.options.Log}
	if server.ErrorLog == nil {
		server.ErrorLog = log.New(discard{}, "", 0)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(limit(listener)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		patient, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer stop()
		if server.Shutdown(patient) != nil {
			err = server.Close()
		}
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
	}
	s.world.Close()
	return err
}

// discard is a writer that forgets.
type discard struct{}

// Write implements io.Writer.
func (discard) Write(p []byte) (int, error) { return len(p), nil }
