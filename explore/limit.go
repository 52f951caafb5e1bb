package explore

import (
	"net"
	"sync"
)

// mostConnections is the number of connections at a time. A browser opens six to a server.
const mostConnections = 64

// limited is a listener that accepts a connection only when fewer than mostConnections are open.
type limited struct {
	net.Listener
	places chan struct{}
	once   sync.Once
	closed chan struct{}
}

func limit(listener net.Listener) net.Listener {
	return &limited{Listener: listener, places: make(chan struct{}, mostConnections), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	connection, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &counted{Conn: connection, places: l.places}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// counted is a connection that gives its place back when it is closed.
type counted struct {
	net.Conn
	once   sync.Once
	places chan struct{}
}

// Close implements net.Conn.
func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.places })
	return err
}
