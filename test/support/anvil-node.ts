import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const PLATFORM_PACKAGE = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}`;
const ANSWER = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });

export interface AnvilOptions {
  readonly chainId?: number;
  /** 0 = any free port. */
  readonly port?: number;
}

/** A real development chain for one spec: no block without a transaction, finalized two blocks below the head. */
export class AnvilNode {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start({ chainId = 31_337, port = 0 }: AnvilOptions = {}): Promise<AnvilNode> {
    const packageJson = createRequire(import.meta.url).resolve(`${PLATFORM_PACKAGE}/package.json`);
    const flags = ['--port', port, '--chain-id', chainId, '--slots-in-an-epoch', 1, '--accounts', 3].map(String);
    const child = spawn(join(dirname(packageJson), 'bin', 'anvil'), flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    return new AnvilNode(child, await listeningPort(child));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** Calls the node directly, without the code under test, and parses the result by a schema. */
  async ask<T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer = ANSWER.parse(await response.json());
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return schema.parse(answer.result);
  }

  /** Calls the node and ignores the result. */
  async send(method: string, ...params: readonly unknown[]): Promise<void> {
    await this.ask(z.unknown(), method, ...params);
  }

  /** The newest block. */
  async head(): Promise<{ height: number; hash: string; time: Date }> {
    const block = z.object({ number: z.string(), hash: z.string(), timestamp: z.string() });
    const { number, hash, timestamp } = await this.ask(block, 'eth_getBlockByNumber', 'latest', false);
    return { height: Number(number), hash, time: new Date(Number(timestamp) * 1000) };
  }

  async mine(blocks = 1): Promise<void> {
    await this.send('anvil_mine', `0x${blocks.toString(16)}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}

async function listeningPort(child: ChildProcess): Promise<number> {
  let output = '';
  return new Promise((resolve, reject) => {
    // Reading continues after the port is known, because a full pipe would stop the node.
    child.stdout?.on('data', (chunk: Buffer) => {
      if (output.length < 10_000) output += chunk.toString();
      const port = /Listening on [\d.]+:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened: ${output}`)));
  });
}
