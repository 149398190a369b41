// Package verify proves, setting by setting, whether clients that are given the same settings behave alike on the wire.
package verify
