import com.sun.source.tree.*;
import java.util.*;

/** One setting on its way into a client. */
class Entry {
    String key;
    Tree at;
    Value value;
    ExpressionTree written; // the value
    List<Tree> path;        // the branches and loops in which it is set
    boolean maybe;          // it is set in a branch that need not be taken

    Entry(String key, Tree at, Value value, ExpressionTree written, List<Tree> path) {
        this.key = key;
        this.at = at;
        this.value = value;
        this.written = written;
        this.path = path;
    }

    Entry with(Value other, List<Tree> where) {
        Entry e = new Entry(key, at, other, written, where);
        e.maybe = maybe;
        return e;
    }
}

/** Properties or a Map, as it stands at some point of a method. */
class Settings {
    final Tree at;
    final List<Entry> entries = new ArrayList<>();
    final List<Tree> from = new ArrayList<>();
    final List<Tree> home;
    boolean open; // there may be more entries, which nobody can read from the text

    Settings(Tree at, List<Tree> home) {
        this.at = at;
        this.home = home;
        from.add(at);
    }

    void merge(Settings other, List<Tree> path) {
        for (Entry e : other.settled(path)) {
            entries.add(e.with(e.value, path));
        }
        from.addAll(other.from);
        open = open || other.open;
    }

    /** The last entry of each key; the value of one in a branch that need not be taken is not known. */
    List<Entry> settled(List<Tree> here) {
        Map<String, Entry> all = new LinkedHashMap<>();
        for (Entry e : entries) {
            boolean certain = e.path.size() <= here.size() && here.subList(0, e.path.size()).equals(e.path);
            Entry before = all.get(e.key);
            if (certain) {
                all.put(e.key, e);
            } else {
                Entry shown = before == null ? e : before;
                Entry unsure = shown.with(Value.computed(shown.value.changing), shown.path);
                unsure.maybe = true;
                all.put(e.key, unsure);
            }
        }
        return new ArrayList<>(all.values());
    }
}
