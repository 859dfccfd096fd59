import { randomBytes } from 'node:crypto';
import { z } from 'zod';

type Body = Readonly<Record<string, unknown>>;
const anyBody = z.record(z.string(), z.unknown());

/** A member of staff at the console. */
export class Staff {
  readonly email: string;
  private readonly url: string;
  private readonly password: string;
  private cookie = '';

  constructor(url: string, { email, password }: { readonly email: string; readonly password: string }) {
    this.url = url;
    this.email = email;
    this.password = password;
  }

  /** `name=value` of the session's cookie. */
  get sessionCookie(): string {
    return this.cookie;
  }

  async signIn(): Promise<void> {
    this.cookie = '';
    await this.call('POST', '/session', { email: this.email, password: this.password });
  }

  get(path: string): Promise<Body> {
    return this.call('GET', `/sandbox${path}`);
  }

  /** Acts in the sandbox. The clock leaps over sessions and proofs of identity, so it signs in first. */
  async act(path: string, body: Body = {}): Promise<Body> {
    await this.signIn();
    return this.call('POST', `/sandbox${path}`, body);
  }

  /** Accepts an invitation, whose link `coffer staff invite` has printed. */
  static async join(url: string, email: string, link: string): Promise<Staff> {
    const token = /\/accept#([\w-]+)/.exec(link)?.[1];
    if (token === undefined) throw new Error(`No link to accept: ${link}`);
    const member = new Staff(url, { email, password: randomBytes(18).toString('base64url') });
    await member.call('POST', '/invitations/accept', { token, password: member.password });
    return member;
  }

  private async call(method: string, path: string, body?: Body): Promise<Body> {
    const response = await fetch(`${this.url}/admin/api${path}`, {
      method,
      headers: {
        Origin: this.url,
        'X-Coffer-Console': '1',
        ...(this.cookie !== '' && { Cookie: this.cookie }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const [given] = response.headers.getSetCookie();
    if (given !== undefined) this.cookie = given.split(';', 1)[0] ?? '';
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? {} : anyBody.parse(JSON.parse(text));
  }
}
