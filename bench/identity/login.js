// A login for k6, as login.toml has it: the page, the password, the code for tokens.
import { sleep } from 'k6';
import crypto from 'k6/crypto';
import http from 'k6/http';
import { Counter } from 'k6/metrics';

const base = `${__ENV.KEYCLOAK}/realms/bench/protocol/openid-connect`;
const back = 'https://127.0.0.1/app/back';
const logins = new Counter('logins');
const seconds = `${__ENV.SECONDS}s`;
const load = {
  open: { executor: 'constant-arrival-rate', rate: Number(__ENV.RATE), duration: seconds, preAllocatedVUs: 50 },
  closed: { executor: 'constant-vus', vus: Number(__ENV.USERS), duration: seconds },
};

export const options = {
  insecureSkipTLSVerify: true,
  maxRedirects: 0,
  scenarios: { login: load[__ENV.LOAD] },
};

export default function () {
  const verifier = hex(crypto.randomBytes(32));
  const challenge = crypto.sha256(verifier, 'base64rawurl');
  const query = `client_id=web&response_type=code&scope=openid&redirect_uri=${encodeURIComponent(back)}` +
    `&code_challenge=${challenge}&code_challenge_method=S256`;
  const page = http.get(`${base}/auth?${query}`, { tags: { name: 'page' } });
  sleep(0.5);
  const answer = page.submitForm({
    formSelector: '#kc-form-login',
    fields: { username: `user.${Math.floor(Math.random() * 100)}`, password: 'password' },
    params: { redirects: 0, tags: { name: 'password' } },
  });
  const code = /[?&]code=([^&]+)/.exec(answer.headers.Location || '');
  if (!code) {
    return;
  }
  const form = {
    grant_type: 'authorization_code',
    client_id: 'web',
    code: code[1],
    redirect_uri: back,
    code_verifier: verifier,
  };
  const token = http.post(`${base}/token`, form, { tags: { name: 'token' } });
  if (token.status === 200) {
    logins.add(1);
  }
}

function hex(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
