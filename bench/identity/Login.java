import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.*;
import io.gatling.javaapi.http.*;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;

/** A login for Gatling, as login.toml has it: the page, the password, the code for tokens. */
public class Login extends Simulation {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String REALM = System.getenv("KEYCLOAK") + "/realms/bench/protocol/openid-connect";
    private static final String BACK = "https://127.0.0.1/app/back";

    private static Session pkce(Session session) {
        try {
            byte[] random = new byte[48];
            RANDOM.nextBytes(random);
            Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
            String verifier = encoder.encodeToString(random);
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return session.set("verifier", verifier)
                .set("challenge", encoder.encodeToString(digest))
                .set("user", "user." + ThreadLocalRandom.current().nextInt(100));
        } catch (java.security.NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String code(String to) {
        return to.replaceAll(".*[?&]code=([^&]+).*", "$1");
    }

    private final ChainBuilder login = exec(flushCookieJar(), exec(Login::pkce),
        http("page").get(REALM + "/auth")
            .queryParam("client_id", "web").queryParam("response_type", "code").queryParam("scope", "openid")
            .queryParam("redirect_uri", BACK).queryParam("code_challenge", "#{challenge}")
            .queryParam("code_challenge_method", "S256")
            .check(status().is(200), css("#kc-form-login", "action").saveAs("action"))
    ).exitHereIfFailed().pause(Duration.ofMillis(500)).exec(
        http("password").post("#{action}")
            .formParam("username", "#{user}").formParam("password", "password").formParam("credentialId", "")
            .check(status().is(302), header("Location").transform(Login::code).saveAs("code"))
    ).exitHereIfFailed().exec(
        http("token").post(REALM + "/token")
            .formParam("grant_type", "authorization_code").formParam("client_id", "web").formParam("code", "#{code}")
            .formParam("redirect_uri", BACK).formParam("code_verifier", "#{verifier}")
            .check(status().is(200)));

    {
        double seconds = Double.parseDouble(System.getenv("SECONDS"));
        Duration time = Duration.ofMillis((long) (seconds * 1000));
        HttpProtocolBuilder protocol = http.disableFollowRedirect().disableWarmUp();
        if ("open".equals(System.getenv("LOAD"))) {
            double rate = Double.parseDouble(System.getenv("RATE"));
            setUp(scenario("login").exec(login).injectOpen(constantUsersPerSec(rate).during(time))).protocols(protocol);
        } else {
            int users = Integer.parseInt(System.getenv("USERS"));
            ScenarioBuilder visits = scenario("login").during(time).on(login);
            setUp(visits.injectOpen(atOnceUsers(users))).protocols(protocol);
        }
    }
}
