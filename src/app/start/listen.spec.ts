import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { parseConfig } from '../../platform/config.js';
import { assertPortUsable, listen } from './listen.js';

@Module({})
class EmptyModule {}

let app: NestExpressApplication;
let holder: Server;
let taken: number;

beforeEach(async () => {
  app = await NestFactory.create<NestExpressApplication>(EmptyModule, { logger: false, abortOnError: false });
  holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  taken = typeof address === 'object' && address !== null ? address.port : 0;
});
afterEach(async () => {
  await app.close();
  holder.close();
});

describe('the port of the service', () => {
  it('that was configured and is taken ends the start, with an error that names it and says what to do', async () => {
    const refusal = `Port ${taken} of 127.0.0.1 is taken by another process. Stop that process, or set PORT to a free port.`;
    await expect(assertPortUsable(parseConfig({ PORT: String(taken) }))).rejects.toThrow(refusal);
    await expect(listen(app, parseConfig({ PORT: String(taken) }))).rejects.toThrow(refusal);
  });

  it('moves to the next free one in the embedded sandbox when none was configured', async () => {
    const { http, embedded } = parseConfig({});
    await assertPortUsable({ http: { ...http, port: taken }, embedded });
    expect(await listen(app, { http: { ...http, port: taken }, embedded })).toBeGreaterThan(taken);
  });

  it('never moves in a deployment, configured or not', async () => {
    const { http } = parseConfig({});
    await expect(listen(app, { http: { ...http, port: taken }, embedded: false })).rejects.toThrow('is taken');
  });

  it('reports that HOST is not an address of this machine', async () => {
    const config = parseConfig({ HOST: '192.0.2.1', PORT: '0' });
    await expect(assertPortUsable(config)).rejects.toThrow('HOST is not an address');
    await expect(listen(app, config)).rejects.toThrow('HOST is not an address');
  });
});
