import { connect } from 'node:net';
import {
  Body,
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  Module,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { z } from 'zod';
import { DomainError, notFound } from '../../src/domain/errors.js';
import type { ApiRequest } from '../../src/http/api-request.js';
import { configureHttp } from '../../src/http/configure-http.js';
import { createHttpAdapter, type HttpLimits } from '../../src/http/http-server.js';
import { JsonBodyGuard } from '../../src/http/json-body.guard.js';
import { NoBody } from '../../src/http/no-body.decorator.js';
import { ApiErrors, ApiOperationDocs } from '../../src/http/openapi-operation.decorator.js';
import { LIST_QUERY, listPage, listPageSchema } from '../../src/http/pagination.js';
import { requestContext } from '../../src/http/request-context.js';
import { RequestSchemaGuard } from '../../src/http/request-schema.guard.js';
import { bodyOf, queryOf, safeText, timestampText } from '../../src/http/request-schema.js';
import { IdempotencyKeyGuard } from '../../src/idempotency/idempotency-key.guard.js';
import type { KeyedRequest } from '../../src/idempotency/write-request.js';

export const ThingSchema = z
  .object({ id: z.string(), amount_cents: z.int(), kind: z.enum(['small', 'large']), reference: z.string().nullable() })
  .meta({ id: 'Thing' });

const CreateThing = bodyOf({
  amount_cents: z.int().min(1).max(1_000_000),
  kind: z.enum(['small', 'large']).default('small'),
  reference: safeText({ max: 5 }).optional(),
  metadata: z.record(safeText({ max: 40 }), z.union([safeText({ max: 10 }), z.number(), z.boolean()])).optional(),
  event_types: z.array(z.string()).max(3).optional(),
}).meta({ id: 'CreateThing' });

const ListThings = queryOf({
  ...LIST_QUERY,
  kind: z.enum(['small', 'large']).optional(),
  open: z.boolean().optional(),
  created_gte: timestampText().optional(),
});

const EXAMPLE = { id: 'thing_1', amount_cents: 100, kind: 'small', reference: null };

@Controller('v1/things')
export class ThingsController {
  @Post()
  @HttpCode(201)
  @ApiErrors('insufficient_balance')
  @ApiOperationDocs({
    operationId: 'createThing',
    summary: 'Create a thing',
    tag: 'Things',
    request: { example: { amount_cents: 100 } },
    success: { status: 201, description: 'The thing.', schema: ThingSchema, example: EXAMPLE },
  })
  create(@Body({ schema: CreateThing }) body: z.infer<typeof CreateThing>, @Req() req: KeyedRequest) {
    return { body, raw: req.rawBody?.toString('utf8'), key: req.idempotencyKey };
  }

  @Get()
  @ApiOperationDocs({
    operationId: 'listThings',
    summary: 'List things',
    tag: 'Things',
    success: {
      description: 'A page of things.',
      schema: listPageSchema(ThingSchema, 'ThingList'),
      example: listPage([EXAMPLE], 25),
    },
  })
  list(@Query({ schema: ListThings }) query: z.infer<typeof ListThings>) {
    return query;
  }

  @Get(':id')
  @ApiOperationDocs({
    operationId: 'getThing',
    summary: 'Get a thing',
    tag: 'Things',
    success: { description: 'The thing.', schema: ThingSchema, example: EXAMPLE },
  })
  get(@Param('id') id: string) {
    if (id !== 'thing_1') throw notFound('thing');
    return { ...EXAMPLE, context: requestContext() };
  }

  @Post(':id/poke')
  @HttpCode(200)
  @NoBody()
  @ApiErrors('invalid_state_transition', 'price_unavailable')
  @ApiOperationDocs({
    operationId: 'pokeThing',
    summary: 'Poke a thing',
    tag: 'Things',
    success: { description: 'The thing.', schema: ThingSchema, example: EXAMPLE },
  })
  poke(@Param('id') id: string) {
    return { id };
  }

  @Delete(':id')
  remove(@Param('id') id: string) {
    return { id };
  }

  @Patch(':id')
  undeclared() {
    return {};
  }
}

@Controller('v1/failures')
export class FailuresController {
  @Get(':kind')
  fail(@Param('kind') kind: string, @Res({ passthrough: true }) res: Response) {
    if (kind === 'late') res.write('half an answer');
    throw FAILURES[kind]?.() ?? new TypeError(`select * from secret_table: ${kind}`);
  }
}

const FAILURES: Readonly<Record<string, () => Error>> = {
  locked: () => new DomainError('pocket_locked', 'Locked.', { retryAfterSeconds: 7 }),
  price: () => new DomainError('price_unavailable', 'No price.'),
  database: () => new Error('query failed', { cause: Object.assign(new Error('gone'), { code: '57P01' }) }),
};

/** Serves beside Swagger UI, whose static files must not swallow it. */
@Controller('docs')
export class DocsController {
  @Get('errors')
  errors() {
    return 'every code explained';
  }
}

/** Replaces authentication, to show that no part of the body is read before it. */
@Injectable()
class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<ApiRequest>();
    if (!req.path.startsWith('/v1/') || req.headers.authorization === 'Bearer test') return true;
    throw new DomainError('unauthorized', 'The API key is missing or invalid.');
  }
}

@Module({
  controllers: [ThingsController, FailuresController, DocsController],
  providers: [
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_GUARD, useClass: IdempotencyKeyGuard },
    { provide: APP_GUARD, useClass: JsonBodyGuard },
    { provide: APP_GUARD, useClass: RequestSchemaGuard },
  ],
})
class SampleModule {}

export interface SampleApp {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly port: number;
  /** The logged errors and warnings. */
  readonly logged: unknown[];
  close(): Promise<void>;
}

/** Starts a small application over real HTTP, on a free port. */
export async function startSampleApp(limits: Partial<HttpLimits> = {}): Promise<SampleApp> {
  const logged: unknown[] = [];
  const note = (line: unknown): void => void logged.push(line);
  const app = await NestFactory.create<NestExpressApplication>(SampleModule, createHttpAdapter(limits), {
    bodyParser: false,
    abortOnError: false,
    logger: { log: () => {}, error: note, warn: note },
  });
  configureHttp(app, {
    baseUrl: () => 'https://pay.example/',
    version: '1.2.3',
    tags: { Things: 'Things to try.' },
    webhooks: {
      'thing.completed': {
        summary: 'A thing was completed',
        schema: z.object({ id: z.string(), data: ThingSchema }).meta({ id: 'ThingCompletedEvent' }),
        example: { id: 'evt_1', data: EXAMPLE },
      },
    },
  });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return { app, url, port: Number(new URL(url).port), logged, close: () => app.close() };
}

/** Sends raw bytes and returns everything until the server closes the connection. */
export function sendRaw(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (received += text));
    // The server may reset the connection after its answer.
    socket.on('error', (error) => (received === '' ? reject(error) : undefined));
    socket.on('close', () => resolve(received));
    for (const part of parts) socket.write(part);
  });
}
