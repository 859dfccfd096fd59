import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '../domain/errors.js';
import { parseStrictJson } from '../domain/strict-json.js';
import { type ApiRequest, METHODS_WITH_BODY } from './api-request.js';
import { BODY_MAX_BYTES, hasBody, readBody } from './read-body.js';

/** Exponents are refused: a schema sees no difference between `1e3` and `1000`, and money is written in digits. */
const JSON_RULES = { maxDepth: 20, refuseExponents: true };

/**
 * Reads and parses the body. A guard and not a body parser, so that it runs after authentication: a client without a key
 * cannot make us buffer bytes. An empty body of any content type means `{}`.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const req = http.getRequest<ApiRequest>();
    if (!METHODS_WITH_BODY.has(req.method)) return true;
    req.rawBody = hasBody(req) ? await readAccepted(req, http.getResponse<Response>()) : Buffer.alloc(0);
    req.body = req.rawBody.length === 0 ? {} : parseBody(req.rawBody);
    return true;
  }
}

/** Checks the headers before it reads the body, if they give its length; an empty chunked body needs no content type. */
async function readAccepted(req: ApiRequest, res: Response): Promise<Buffer> {
  const announced = req.headers['content-length'] !== undefined;
  if (announced) assertJson(req);
  if (req.headers.expect !== undefined) res.writeContinue();
  const body = await readBody(req, BODY_MAX_BYTES);
  if (body.length > 0) assertJson(req);
  return body;
}

function assertJson(req: ApiRequest): void {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new DomainError('unsupported_media_type', 'Send the body without Content-Encoding.');
  }
  if (!isJson(req.headers['content-type'] ?? '')) {
    throw new DomainError('unsupported_media_type', 'Send the body as Content-Type: application/json, in UTF-8.');
  }
}

function isJson(contentType: string): boolean {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  return mediaType.trim() === 'application/json' && [undefined, 'charset=utf-8', 'charset="utf-8"'].includes(charset);
}

function parseBody(bytes: Buffer): unknown {
  const json = parseStrictJson(bytes, JSON_RULES);
  if (json.kind === 'value') return json.value;
  if (json.kind === 'forbidden') {
    throw new DomainError('invalid_request', json.message, json.path === '' ? {} : { param: json.path });
  }
  const place = json.position === null ? '' : ` (at character ${json.position})`;
  throw new DomainError('invalid_json', `The body is not valid JSON${place}: ${json.message}`);
}
