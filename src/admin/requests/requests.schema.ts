import { z } from 'zod';
import { ERROR_CODES } from '../../domain/errors.js';
import { ENVIRONMENTS } from '../../domain/network.js';
import { listPageSchema } from '../../http/pagination.js';
import { NO_ANSWER } from '../../request-log/logged-request.entity.js';

const timestamp = z.iso.datetime({ precision: 3 });
const code = z.enum([...ERROR_CODES, NO_ANSWER]);

const request = z
  .object({
    id: z.string().meta({ description: 'The id of the request, as in the header `Request-Id` of its answer.' }),
    object: z.literal('api_request').meta({ description: 'Always `api_request`.' }),
    environment: z.enum(ENVIRONMENTS).meta({ description: 'That of the API key.' }),
    merchant_id: z.string().meta({ description: 'Whose API key it was.' }),
    merchant_name: z.string().meta({ description: 'The name of the merchant.' }),
    api_key_id: z.string().meta({ description: 'The API key.' }),
    api_key: z.string().meta({ description: 'Its prefix and its last four characters, by which people know it.' }),
    method: z.string().meta({ description: 'The method.' }),
    route: z.string().meta({ description: 'The pattern of the path, such as `/v1/payment-intents/:id/confirm`.' }),
    resource_id: z.string().nullable().meta({ description: 'The object that it named in its path, or made.' }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'The status of the answer; null if the client was gone before it.' }),
    error_code: code.nullable().meta({ description: 'The code of the error; null after a success.' }),
    idempotency_key: z.string().nullable().meta({ description: 'The idempotency key.' }),
    replayed: z.boolean().meta({ description: 'Whether the answer was the kept one of an earlier request.' }),
    duration_ms: z.int().meta({ description: 'From the request to the end of its answer.' }),
    created_at: timestamp.meta({ description: 'When it was received.' }),
  })
  .meta({ id: 'ApiRequest' });
export type ApiRequestObject = z.infer<typeof request>;

export const requestListSchema = listPageSchema(request, 'ApiRequestList');

const group = z
  .object({
    id: z.string().meta({ description: 'Code, method and route.' }),
    object: z.literal('api_error_group').meta({ description: 'Always `api_error_group`.' }),
    error_code: code.meta({ description: 'The code of the errors.' }),
    method: z.string().meta({ description: 'The method of the requests.' }),
    route: z.string().meta({ description: 'The route of the requests.' }),
    count: z.int().meta({ description: 'How many there were in the last 24 hours.' }),
    count_is_more: z.boolean().meta({
      description: 'True if there are more: of each code only the newest 10,000 are counted.',
    }),
    merchants: z.int().meta({ description: 'How many merchants got them.' }),
    since: timestamp.meta({ description: 'The first one that was counted.' }),
    latest: timestamp.meta({ description: 'The latest one.' }),
    latest_request_id: z.string().meta({ description: 'The latest request.' }),
  })
  .meta({ id: 'ApiErrorGroup' });
export type ApiErrorGroupObject = z.infer<typeof group>;

export const errorGroupListSchema = listPageSchema(group, 'ApiErrorGroupList');
