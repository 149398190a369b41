package config

import "unicode/utf8"

// Nearest is the one of names that a person who typed name most likely meant,
// by edit distance; the first one of equals. It is empty when every name is
// further away than a third of what was typed, for then it is a guess.
func Nearest(name string, names []string) string {
	best, found := max(1, len(name)/3)+1, ""
	length := utf8.RuneCountInString(name)
	for _, n := range names {
		if by := utf8.RuneCountInString(n) - length; by >= best || -by >= best {
			continue // so many letters are too many, or missing
		}
		if d := Distance(name, n); d < best {
			best, found = d, n
		}
	}
	return found
}

// Distance counts the letters to insert, delete, replace or swap with their
// neighbour to turn a into b (optimal string alignment). lint asks it whether a name in
// prose is nearly that of a setting.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(y)]
}
