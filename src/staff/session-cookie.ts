import type { Request, Response } from 'express';
import type { ConsoleCookie } from './console-site.js';

const attributesOf = ({ secure }: ConsoleCookie) =>
  ({ path: '/', httpOnly: true, sameSite: 'strict', secure }) as const;

/** Returns the session's token in the request; an empty text when there is none. */
export function tokenIn(req: Request, { name }: ConsoleCookie): string {
  const cookies = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return cookies.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** Gives the browser the token. It forgets it with its window, and the server after 12 hours at the latest. */
export function setToken(res: Response, cookie: ConsoleCookie, token: string): void {
  res.cookie(cookie.name, token, attributesOf(cookie));
}

/** Takes the token from the browser. */
export function clearToken(res: Response, cookie: ConsoleCookie): void {
  res.clearCookie(cookie.name, attributesOf(cookie));
}
