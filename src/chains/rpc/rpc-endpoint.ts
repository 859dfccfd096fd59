/** A user of this name in a URL is the header of an API key, as TronGrid expects it; its password is the key. */
const API_KEY_USERS = ['TRON-PRO-API-KEY'];
/** Path parts and query values of at least this length count as API keys. */
const KEY_LENGTH_MIN = 8;
const MESSAGE_LENGTH_MAX = 200;

/** The URL of a node, split so that no credential can reach a message or a log. */
export interface RpcEndpoint {
  /** The URL to connect to, without user and password, which are in `headers`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Scheme, host and port only, for messages. */
  readonly label: string;
  /** Returns the URL of a path below it. */
  at(path: string): string;
  /** Removes secrets from a text of the node and shortens it for a message. */
  redact(text: string): string;
}

/** Parses an RPC or websocket URL. The error for an invalid URL does not contain it. */
export function parseRpcEndpoint(text: string, schemes: readonly string[] = ['http:', 'https:']): RpcEndpoint {
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol)) {
    throw new Error(`The URL of a node must be absolute and start with ${schemes.join('// or ')}//.`);
  }
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const secrets = secretsIn(url, user, password);
  url.username = '';
  url.password = '';
  return {
    url: url.href,
    headers: headersOf(user, password),
    label: `${url.protocol}//${url.host}`,
    at: (path) => below(url, path),
    redact: (message) => redact(message, secrets),
  };
}

function secretsIn(url: URL, user: string, password: string): readonly string[] {
  const keys = [...url.pathname.split('/'), ...url.searchParams.values()];
  return [user, password, ...keys.filter((part) => part.length >= KEY_LENGTH_MIN)].filter((secret) => secret !== '');
}

function redact(message: string, secrets: readonly string[]): string {
  const clean = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message);
  return clean.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, MESSAGE_LENGTH_MAX);
}

function headersOf(user: string, password: string): Readonly<Record<string, string>> {
  if (API_KEY_USERS.includes(user)) return { [user]: password };
  return user === '' && password === '' ? {} : { authorization: basicAuthorization(user, password) };
}

function below(url: URL, path: string): string {
  const place = new URL(url);
  place.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  return place.href;
}

function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
