import createClient from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import { askToProve, type Proof } from './proof.ts';
import type { paths } from './schema.d.ts';

const SESSION = '/admin/api/session';

/** Marks polling requests, which do not extend the session. */
export const BACKGROUND = { 'X-Coffer-Poll': '1' } as const;

/** The typed client of `/admin/api`. Call it through `answerOf`, which throws for everything that is no success. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  headers: { 'X-Coffer-Console': '1' },
  fetch: send,
});

/**
 * Sends a request. When the session has ended, or the action asks for a fresh proof of who is there, the person is asked
 * over the page, and the request goes out once more: forms and selections stay as they are.
 */
async function send(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await reach(request);
  const proof = await proofFor(request, response);
  if (proof === null || !(await askToProve(proof))) return response;
  return send(again);
}

async function reach(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new ApiError(0, 'unreachable', 'The service cannot be reached. Check your network, then try again.', null);
  }
}

/** What the answer asks for; null when it is an answer. What a page polls by itself never opens a dialog. */
async function proofFor(request: Request, response: Response): Promise<Proof | null> {
  if (response.status !== 401 && response.status !== 403) return null;
  if (request.headers.has('X-Coffer-Poll')) return null;
  const { pathname } = new URL(request.url);
  if (pathname === SESSION || pathname.startsWith('/admin/api/invitations/')) return null;
  const { code } = ApiError.from(
    response,
    await response
      .clone()
      .json()
      .catch(() => null),
  );
  if (code === 'step_up_required') return 'step-up';
  if (code !== 'unauthorized') return null;
  // A wrong password within a session has the same answer as an ended session.
  return pathname.startsWith(`${SESSION}/`) && (await reach(new Request(SESSION))).ok ? null : 'sign-in';
}

interface Answer<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a successful answer. @throws ApiError for every other one */
export async function answerOf<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw ApiError.from(response, error);
  return data as Data;
}
