import { assertDocumented } from '../support/documented.js';
import type { World } from '../support/world.js';

/** An answer of the console's API. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: Record<string, any>;
}

export interface ConsoleCall {
  readonly body?: unknown;
  /** Replace the headers that the console's pages send; null removes one. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/**
 * A browser of a member of staff: keeps the cookie, and sends what the console's pages send. It checks every answer against
 * the console's document.
 */
export class ConsoleClient {
  /** `name=value` of the cookie; empty when there is none. */
  cookie = '';
  /** The last `Set-Cookie` as it was received. */
  setCookie = '';

  constructor(readonly url: string) {}

  get(path: string, call: ConsoleCall = {}): Promise<ConsoleAnswer> {
    return this.call('GET', path, call);
  }

  post(path: string, body: unknown = {}, call: ConsoleCall = {}): Promise<ConsoleAnswer> {
    return this.call('POST', path, { body, ...call });
  }

  async call(method: string, path: string, { body, headers = {} }: ConsoleCall = {}): Promise<ConsoleAnswer> {
    const sent = {
      Origin: this.url,
      'X-Coffer-Console': '1',
      'Content-Type': body === undefined ? null : 'application/json',
      Cookie: this.cookie === '' ? null : this.cookie,
      ...headers,
    };
    const response = await fetch(`${this.url}/admin/api${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== null)),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.keep(response.headers.getSetCookie());
    // A stream has no end of its own.
    const isStream = response.headers.get('Content-Type') === 'text/event-stream';
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {} };
    if (isJson) await assertDocumented(this.url, method, `/admin/api${path}`, answer.status, answer.body);
    return answer;
  }

  signIn(email: string, password: string, proof: object = {}): Promise<ConsoleAnswer> {
    return this.post('/session', { email, password, ...proof });
  }

  private keep([given]: readonly string[]): void {
    if (given === undefined) return;
    this.setCookie = given;
    const [pair = ''] = given.split(';', 1);
    this.cookie = pair.endsWith('=') ? '' : pair;
  }
}

/** Signs in as the administrator that the sandbox has made. @throws Error when it cannot */
export async function signedInAdmin({ service, url }: World): Promise<ConsoleClient> {
  const { email = '', password } = service.account?.admin ?? {};
  const client = new ConsoleClient(url);
  const { status, body } = await client.signIn(email, password ?? '');
  if (status !== 200) throw new Error(`The sign-in answered ${status}: ${JSON.stringify(body)}`);
  return client;
}
