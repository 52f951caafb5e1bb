package explore

import (
	"crypto/subtle"
	"net"
	"net/http"
)

// tokenHeader is the header of the token. A page of another site cannot send it without the consent of this server,
// which never gives it.
const tokenHeader = "X-Trackgen-Token"

// policy lets the page load scripts, styles and data from this server alone, and nothing may show the page in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard sets the headers of all answers, and refuses requests for another host or from another page.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		switch {
		case !isOurHost(r.Host):
			http.Error(w, "the Host of a request must be localhost or an IP address of the explorer", http.StatusForbidden)
		case !isOurOrigin(r):
			http.Error(w, "requests of other pages are refused", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isOurHost reports whether a Host is localhost or an IP address. A name that another site points at this machine is
// neither.
func isOurHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "localhost" || net.ParseIP(name) != nil
}

// isOurOrigin reports whether the page that sent a request, if one did, is that of this server.
func isOurOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	// A person who follows a link from another page comes with GET, without a token, and gets the page alone.
	return site == "" || site == "same-origin" || site == "none" || r.Method == http.MethodGet &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// hasToken reports whether a request has the token of the link.
func (s *Server) hasToken(r *http.Request) bool {
	return subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(s.token)) == 1
}
