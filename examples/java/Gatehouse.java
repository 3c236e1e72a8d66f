// Creates an access link, sends signed events and receives webhooks. Needs Java 17 and Gson, because the JDK has no
// JSON parser.
//
//     java -cp gson.jar Gatehouse.java link
//     java -cp gson.jar Gatehouse.java send events.json
//     java -cp gson.jar Gatehouse.java listen
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

public class Gatehouse {
    static final int MAX_ATTEMPTS = 5;
    static final long TOLERANCE_SECONDS = 300;
    static final int MAX_BODY = 16 << 20;
    static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** Sends a request until it succeeds or fails permanently. Every attempt gets new headers. */
    static JsonObject post(String path, byte[] body, Supplier<Map<String, String>> headers)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            long wait = (long) ((1000 << (attempt - 1)) * ThreadLocalRandom.current().nextDouble(0.5, 1));
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(System.getenv("GATEHOUSE_URL") + path))
                    .timeout(Duration.ofSeconds(30))
                    .header("content-type", "application/json")
                    .POST(BodyPublishers.ofByteArray(body));
            headers.get().forEach(request::header);
            IOException problem;
            try {
                HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
                if (response.statusCode() == 200) return JsonParser.parseString(response.body()).getAsJsonObject();
                problem = new IOException(response.statusCode() + " " + response.body());
                // A temporary error has a 5xx status or says when to retry.
                String retryAfter = response.headers().firstValue("retry-after").orElse("");
                if (response.statusCode() < 500 && retryAfter.isEmpty()) throw new IllegalStateException(problem);
                if (retryAfter.matches("\\d{1,6}")) wait = Math.max(wait, Long.parseLong(retryAfter) * 1000);
            } catch (IOException lost) {
                problem = lost; // The request may have been processed, so it must be safe to repeat.
            }
            if (attempt == MAX_ATTEMPTS) throw problem;
            Thread.sleep(wait);
        }
    }

    static JsonObject createLink(JsonObject link) throws IOException, InterruptedException {
        // Every attempt has the same key, so a retry returns the link of the first attempt.
        Map<String, String> headers = Map.of(
                "authorization", "Bearer " + System.getenv("GATEHOUSE_KEY"),
                "idempotency-key", UUID.randomUUID().toString());
        return post("/assistant-link", link.toString().getBytes(UTF_8), () -> headers);
    }

    static String sign(String secret, String id, String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible); // Every Java platform has HmacSHA256.
        }
    }

    /** Sends at most 100 events. Returns the errors: objects with the `index` of the event and the `error`. */
    static JsonArray sendEvents(JsonArray events) throws IOException, InterruptedException {
        JsonObject request = new JsonObject();
        request.add("events", events);
        byte[] body = request.toString().getBytes(UTF_8);
        String id = "msg_" + UUID.randomUUID();
        JsonObject result = post("/events", body, () -> {
            // A signature is valid for five minutes, so every attempt has a new one. The ID stays the same.
            String timestamp = String.valueOf(Instant.now().getEpochSecond());
            String signature = sign(System.getenv("EVENT_SOURCE_SECRET"), id, timestamp, body);
            return Map.of("webhook-id", id, "webhook-timestamp", timestamp, "webhook-signature", signature);
        });
        return result.has("errors") ? result.getAsJsonArray("errors") : new JsonArray();
    }

    /** Reports whether a request is a recent delivery. `body` is the bytes as received. */
    static boolean isGenuine(String secret, String id, String timestamp, String signatures, byte[] body) {
        if (id == null || signatures == null || timestamp == null || !timestamp.matches("\\d{1,12}")) return false;
        long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
        if (Math.abs(age) > TOLERANCE_SECONDS) return false;
        byte[] expected = sign(secret, id, timestamp, body).getBytes(UTF_8);
        // During the rotation of a secret there are two signatures. MessageDigest.isEqual takes constant time.
        for (String given : signatures.split(" "))
            if (MessageDigest.isEqual(given.getBytes(UTF_8), expected)) return true;
        return false;
    }

    /** In production: a table with a unique column, written in the transaction that applies the event. */
    static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    static void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            var headers = exchange.getRequestHeaders();
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY);
            String id = headers.getFirst("webhook-id");
            boolean genuine = isGenuine(System.getenv("SUBSCRIPTION_SECRET"), id,
                    headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"), body);
            // Deliveries are repeated if a response is lost. Every attempt has the same webhook-id.
            if (genuine && !SEEN.contains(id)) {
                JsonObject event = JsonParser.parseString(new String(body, UTF_8)).getAsJsonObject();
                System.out.println("received " + event.get("type").getAsString() + " " + event.get("id").getAsString());
                SEEN.add(id);
            }
            exchange.sendResponseHeaders(genuine ? 204 : 401, -1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "link" -> {
                String link = """
                        {"sub": "customer-42", "ttlSeconds": 3600,
                         "permissionFilter": {"audience": {"in": ["customers", "public"]}}}""";
                System.out.println(createLink(JsonParser.parseString(link).getAsJsonObject()).get("url").getAsString());
            }
            case "send" -> {
                String file = Files.readString(Path.of(arguments[1]));
                JsonArray events = JsonParser.parseString(file).getAsJsonObject().getAsJsonArray("events");
                JsonArray errors = sendEvents(events);
                System.out.println("accepted " + (events.size() - errors.size()));
                for (var one : errors) {
                    JsonObject error = one.getAsJsonObject();
                    JsonObject event = events.get(error.get("index").getAsInt()).getAsJsonObject();
                    System.out.println("rejected " + event.get("id").getAsString() + " " + error.get("error").getAsString());
                }
                System.exit(errors.isEmpty() ? 0 : 1);
            }
            case "listen" -> {
                int port = Integer.parseInt(System.getenv("PORT"));
                HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
                server.setExecutor(Executors.newFixedThreadPool(16));
                server.createContext("/", Gatehouse::receive);
                server.start();
            }
            default -> throw new IllegalArgumentException("usage: Gatehouse link | send FILE | listen");
        }
    }
}
