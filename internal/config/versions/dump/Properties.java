import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;

/**
 * The settings that Kafka's own ConfigDefs define, as a table.
 *
 *   java -cp 'JARS/*' Properties.java clients > ../kafka-clients-VERSION.tsv
 *
 * and the same with broker and topic; several at once print one table after the other.
 * JARS is ~/.cache/kcompare/kafka-VERSION, where `kcompare broker --broker=kafka` puts them.
 */
class Properties {
    record Row(String applies, ConfigDef.ConfigKey key, String value) {}

    public static void main(String[] args) throws Exception {
        for (String of : args) {
            System.out.println("name\talias-of\tapplies\ttype\trange\tdefault\tapplication\tbinding\tdeprecated");
            definitions(of).forEach((name, rows) -> rows.forEach(row -> System.out.println(line(name, row))));
            System.err.println("kafka-" + of + " " + version());
        }
    }

    static String version() throws Exception {
        java.util.Properties file = new java.util.Properties();
        try (java.io.InputStream in = ConfigDef.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            file.load(in);
        }
        return file.getProperty("version");
    }

    /** By name; a setting whose default depends on the kind of client has a row for each. */
    static Map<String, List<Row>> definitions(String of) throws Exception {
        Map<String, List<Row>> all = new TreeMap<>();
        for (Map.Entry<String, ConfigDef> client : definers(of).entrySet()) {
            for (ConfigDef.ConfigKey key : client.getValue().configKeys().values()) {
                List<Row> rows = all.computeIfAbsent(key.name, k -> new ArrayList<>());
                String value = shown(key.defaultValue);
                Row same = rows.stream().filter(r -> r.value.equals(value)).findFirst().orElse(null);
                rows.remove(same);
                String applies = (same == null ? "" : same.applies) + client.getKey();
                rows.add(new Row(applies.equals("PCA") ? "*" : applies, same == null ? key : same.key, value));
            }
        }
        return all;
    }

    static Map<String, ConfigDef> definers(String of) throws Exception {
        Map<String, ConfigDef> all = new java.util.LinkedHashMap<>();
        switch (of) {
            case "clients" -> {
                all.put("P", call("org.apache.kafka.clients.producer.ProducerConfig", "configDef"));
                all.put("C", call("org.apache.kafka.clients.consumer.ConsumerConfig", "configDef"));
                all.put("A", call("org.apache.kafka.clients.admin.AdminClientConfig", "configDef"));
            }
            case "broker" -> all.put("*", (ConfigDef) Class.forName("org.apache.kafka.server.config.AbstractKafkaConfig")
                .getField("CONFIG_DEF").get(null));
            case "topic" -> all.put("*", call("org.apache.kafka.storage.internals.log.LogConfig", "configDefCopy"));
            default -> throw new IllegalArgumentException(of + ": expected clients, broker or topic");
        }
        return all;
    }

    static ConfigDef call(String name, String method) throws Exception {
        return (ConfigDef) Class.forName(name).getMethod(method).invoke(null);
    }

    static String line(String name, Row row) {
        ConfigDef.ConfigKey key = row.key;
        String code = key.type == ConfigDef.Type.CLASS ? "yes" : "-";
        String range = range(key);
        String kind = kind(key, range);
        return String.join("\t", name, "-", row.applies, kind, range, row.value, code, "-", "-");
    }

    static String kind(ConfigDef.ConfigKey key, String range) {
        return switch (key.type) {
            case BOOLEAN -> "boolean";
            case INT, LONG, SHORT -> "integer";
            case DOUBLE -> "float";
            case LIST -> range.equals("-") ? "string" : "flags";
            case CLASS -> "code";
            default -> range.equals("-") || range.contains(":") ? "string" : "enum"; // "by_duration:PnDTnHnMn.nS" is no word
        };
    }

    private static final Pattern LIMITS = Pattern.compile("\\[([^,\\[\\]]*),\\.\\.\\.,?([^,\\[\\]]*)\\]?");
    private static final Pattern WORDS = Pattern.compile("(?:\\(case insensitive\\) )?\\[([A-Za-z0-9_\\-.]+(?:, ?[A-Za-z0-9_\\-.:]+)*)\\](?!:).*");

    /** What the validator says of itself, in the catalogue's spelling. */
    static String range(ConfigDef.ConfigKey key) {
        String text = key.validator == null ? "" : key.validator.toString();
        Matcher limits = LIMITS.matcher(text), words = WORDS.matcher(text);
        boolean number = key.type == ConfigDef.Type.INT || key.type == ConfigDef.Type.LONG
            || key.type == ConfigDef.Type.SHORT || key.type == ConfigDef.Type.DOUBLE;
        if (key.type == ConfigDef.Type.BOOLEAN) {
            return "true, false";
        }
        if (number) {
            String low = "", high = "";
            if (limits.find()) {
                low = limits.group(1);
                high = limits.group(2);
            } else if (!text.isEmpty()) {
                System.err.println("unread validator of " + key.name + ": " + text);
            }
            return (low.isEmpty() ? least(key.type) : low) + " .. " + (high.isEmpty() ? most(key.type) : high);
        }
        if (words.matches()) {
            return String.join(", ", Arrays.stream(words.group(1).split(", ?")).filter(w -> !w.equals("null")).sorted().toList());
        }
        if (!text.isEmpty()) {
            System.err.println("unread validator of " + key.name + ": " + text);
        }
        return "-";
    }

    static String least(ConfigDef.Type type) {
        return switch (type) {
            case INT -> "" + Integer.MIN_VALUE;
            case SHORT -> "" + Short.MIN_VALUE;
            case LONG -> "" + Long.MIN_VALUE;
            default -> "-1.7976931348623157e308";
        };
    }

    static String most(ConfigDef.Type type) {
        return switch (type) {
            case INT -> "" + Integer.MAX_VALUE;
            case SHORT -> "" + Short.MAX_VALUE;
            case LONG -> "" + Long.MAX_VALUE;
            default -> "1.7976931348623157e308";
        };
    }

    static String shown(Object value) {
        if (value == null || value == ConfigDef.NO_DEFAULT_VALUE) {
            return value == null ? "-" : "(required)";
        }
        String text;
        if (value instanceof Collection<?> many) {
            text = String.join(",", many.stream().map(Properties::shown).toList());
        } else if (value instanceof Class<?> c) {
            text = c.getName();
        } else {
            text = value.toString();
        }
        return text.isEmpty() ? "-" : text;
    }
}
