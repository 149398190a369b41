// Package convert writes settings that package source read in another client's words, and says what cannot be carried over.
package convert
