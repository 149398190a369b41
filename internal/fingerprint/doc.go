// Package fingerprint says which settings of a client show in a trace, and what they are there. It is pure.
package fingerprint
