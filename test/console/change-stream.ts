import type { ConsoleClient } from './console-client.js';

interface Message {
  readonly type: string;
  readonly data: unknown;
}

/** Reads the stream of changes, as a browser does. */
export class ChangeStream {
  readonly messages: Message[] = [];
  heartbeats = 0;
  /** True once the service or the reader has closed it. */
  isClosed = false;
  private readonly reading: Promise<void>;

  private constructor(
    private readonly stopping: AbortController,
    private readonly response: Response,
  ) {
    this.reading = this.read();
  }

  /** @throws Error when the service refuses it */
  static async open({ url, cookie }: ConsoleClient): Promise<ChangeStream> {
    const stopping = new AbortController();
    const response = await fetch(`${url}/admin/api/stream`, { headers: { Cookie: cookie }, signal: stopping.signal });
    if (response.status !== 200) throw new Error(`The stream was answered with ${response.status}.`);
    return new ChangeStream(stopping, response);
  }

  get headers(): Headers {
    return this.response.headers;
  }

  /** The data of all messages of a type so far. */
  of(type: string): unknown[] {
    return this.messages.filter((message) => message.type === type).map(({ data }) => data);
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.reading;
  }

  private async read(): Promise<void> {
    let text = '';
    try {
      for await (const chunk of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } catch (error) {
      if (!this.stopping.signal.aborted) throw error;
    } finally {
      this.isClosed = true;
    }
  }

  private take(block: string): void {
    const lines = block.split('\n');
    if (lines.some((line) => line.startsWith(':'))) this.heartbeats++;
    const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const [type, data] = [fieldOf('event'), fieldOf('data')];
    if (type !== undefined) this.messages.push({ type, data: JSON.parse(data ?? '{}') });
  }
}
