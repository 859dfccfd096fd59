import { z } from 'zod';
import { ERROR_CODES } from '../domain/errors.js';
import { LIST_QUERY } from '../http/pagination.js';
import { queryOf, safeText, timestampText } from '../http/request-schema.js';
import { NO_ANSWER } from './logged-request.entity.js';

/** The classes of answers; `none` where the client was gone before its answer. */
const ANSWER_CLASSES = ['2xx', '4xx', '5xx', 'none'] as const;
/** The methods of the merchants' API. All but POST are logged when they fail. */
const LOGGED_METHODS = ['POST', 'GET', 'PATCH', 'DELETE'] as const;

const REQUEST_FILTERS = {
  status: z.enum(ANSWER_CLASSES).optional().meta({
    description: 'Only answers of this class; `none`: the client was gone before its answer.',
  }),
  error_code: z
    .enum([...ERROR_CODES, NO_ANSWER])
    .optional()
    .meta({ description: 'Only answers with this error code.' }),
  method: z.enum(LOGGED_METHODS).optional().meta({ description: 'Only requests with this method.' }),
  route: safeText({ min: 1, max: 200 })
    .optional()
    .meta({ description: 'Only requests to this route, such as `/v1/payment-intents/:id/confirm`.' }),
  merchant_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only requests of this merchant.' }),
  api_key_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only requests with this API key.' }),
  request_id: safeText({ min: 1, max: 64 }).optional().meta({ description: 'Only the request with this id.' }),
  created_gte: timestampText().optional().meta({ description: 'Received at this moment or later.' }),
  created_lt: timestampText().optional().meta({ description: 'Received before this moment.' }),
};

/** Query of the list of requests. */
export const listRequestsQuery = queryOf({ ...LIST_QUERY, ...REQUEST_FILTERS });
export type ListRequestsQuery = z.infer<typeof listRequestsQuery>;

/** Query of the export of requests. */
export const exportRequestsQuery = queryOf(REQUEST_FILTERS);
export type RequestFilter = z.infer<typeof exportRequestsQuery>;
