import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { z } from 'zod';
import { ApiClient } from './api-client.js';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

describe('ApiClient', () => {
  let server: Server;
  let url: string;
  let answer: Answer;
  const requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];

  beforeAll(async () => {
    server = createServer((req, res) => {
      requests.push(req);
      res.writeHead(answer.status, { 'Request-Id': 'req_1' }).end(JSON.stringify(answer.body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('sends the key, and with every POST an idempotency key of its own', async () => {
    answer = { status: 200, body: { id: 'x' } };
    const api = new ApiClient(`${url}/`, 'sk_sb_1');
    await api.post('/v1/things', z.object({ id: z.string() }), { a: 1 });
    await api.post('/v1/things', z.object({ id: z.string() }));
    const [first, second] = requests;
    expect(first).toMatchObject({ method: 'POST', url: '/v1/things', headers: { authorization: 'Bearer sk_sb_1' } });
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
  });

  it('reports why the API refused, with the id of the request', async () => {
    const error = { code: 'not_found', message: 'No such intent.', request_id: 'req_1', doc_url: 'http://d#not_found' };
    answer = { status: 404, body: { error } };
    await expect(new ApiClient(url, 'k').get('/v1/x', z.unknown())).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      message: 'No such intent. (404 not_found, request req_1)',
      advice: 'see http://d#not_found',
    });
  });

  it('refuses an answer of an unexpected shape', async () => {
    answer = { status: 200, body: { id: 5 } };
    await expect(new ApiClient(url, 'k').get('/v1/x', z.object({ id: z.string() }))).rejects.toThrow(
      'GET /v1/x returned an unexpected answer (request req_1).',
    );
  });

  it('reports that the service does not answer', async () => {
    await expect(new ApiClient('http://127.0.0.1:1', 'k').get('/', z.unknown())).rejects.toThrow(
      'The service does not answer at http://127.0.0.1:1.',
    );
  });
});
