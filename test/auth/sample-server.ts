import { request } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The sample routes over real HTTP. */
export class SampleServer {
  constructor(
    private readonly app: NestExpressApplication,
    private readonly url: string,
  ) {}

  /** Sends headers verbatim, in pairs, so that one may occur twice. */
  send(method: string, path: string, headers: readonly string[] = [], body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(this.url + path, { method, headers: [...headers, 'Content-Length', `${body.length}`] });
      sent.on('error', reject).on('response', (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () =>
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() }),
        );
      });
      sent.end(body);
    });
  }

  get(path: string, key: string): Promise<Answer> {
    return this.send('GET', path, ['Authorization', `Bearer ${key}`]);
  }

  post(path: string, key: string, idempotencyKey: string, body?: object | string): Promise<Answer> {
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const headers = ['Authorization', `Bearer ${key}`, 'Idempotency-Key', idempotencyKey];
    return this.send('POST', path, [...headers, 'Content-Type', 'application/json'], text);
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

/** Returns the error code of an answer. */
export function codeOf(answer: Answer): unknown {
  const body: { error?: { code?: unknown } } = JSON.parse(answer.text);
  return body.error?.code;
}
