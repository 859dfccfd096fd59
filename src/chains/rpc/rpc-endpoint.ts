/** Path parts and query values at least this long are taken for API keys. */
const KEY_LENGTH_MIN = 8;
const MESSAGE_LENGTH_MAX = 200;

/** Where a node answers, split so that no credential can reach a message or a log. */
export interface RpcEndpoint {
  /** The address to connect to, without user and password: these travel in `headers`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The address for people: scheme, host and port only. */
  readonly label: string;
  /** Cuts a text that came from the node to a length fit for a message, without anything secret in it. */
  redact(text: string): string;
}

/** Reads an RPC or websocket URL. The error of a bad one does not repeat it. */
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
    headers: user === '' && password === '' ? {} : { authorization: basicAuthorization(user, password) },
    label: `${url.protocol}//${url.host}`,
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

function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
