import { Client } from 'undici';
import type { ServiceProcess } from './service-process.ts';

/** A signed-in browser of the administrator of a sandbox, on one connection. */
export class ConsoleSession {
  private readonly client: Client;
  private readonly url: string;
  /** `name=value`. */
  readonly cookie: string;

  private constructor(client: Client, url: string, cookie: string) {
    this.client = client;
    this.url = url;
    this.cookie = cookie;
  }

  static async open({ url, admin }: Pick<ServiceProcess, 'url' | 'admin'>): Promise<ConsoleSession> {
    const client = new Client(url);
    const answer = await client.request({
      method: 'POST',
      path: '/admin/api/session',
      headers: { 'content-type': 'application/json', 'x-coffer-console': '1', origin: url },
      body: JSON.stringify(admin),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`The sign-in answered ${answer.statusCode}: ${text}`);
    const [given = ''] = [answer.headers['set-cookie']].flat();
    return new ConsoleSession(client, url, given.split(';', 1)[0] ?? '');
  }

  /** Returns an answer of the console's API, and how long it took. @throws Error for anything but a success */
  async ask(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<{ readonly ms: number; readonly text: string }> {
    const startedAt = performance.now();
    const answer = await this.client.request({
      method,
      path: `/admin/api/sandbox${path}`,
      headers: {
        cookie: this.cookie,
        'x-coffer-console': '1',
        origin: this.url,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    return { ms: performance.now() - startedAt, text };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
