import { randomBytes } from 'node:crypto';
import { Controller, Get, Next, NotFoundException, Query, Req, Res } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { z } from 'zod';
import { Public } from '../../auth/scopes.js';
import { ConsoleFiles } from './console-files.js';
import { consolePolicy } from './console-policy.js';

const ASSETS = '/admin/assets/';
const NONCE_BYTES = 16;

/** The pages read their filters themselves, and requests of the API may come by here first. */
const anyQuery = z.looseObject({});

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Coffer console</title>
</head>
<body>
<main>
<h1>The console is not built</h1>
<p>Run <code>npm run admin:build</code> where Coffer is installed, restart the service, and load this page again. The API is not affected.</p>
</main>
</body>
</html>
`;

/** Serves the console: the same page for every address, because the browser finds the view, and the files of its build. */
@Controller('admin')
@Public()
export class ConsolePagesController {
  private readonly files = new ConsoleFiles();

  @Get(['', '{*path}'])
  answer(
    @Req() req: Request,
    @Res() res: Response,
    @Next() next: NextFunction,
    @Query({ schema: anyQuery }) _query: object,
  ): void {
    const { path } = req;
    if (path === '/admin/api' || path.startsWith('/admin/api/')) next();
    else if (path.startsWith(ASSETS)) this.sendAsset(path.slice(ASSETS.length), req, res);
    else this.sendPage(res);
  }

  private sendPage(res: Response): void {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const page = this.files.pageWith(nonce);
    res.setHeader('Content-Security-Policy', consolePolicy(nonce));
    res.setHeader('Cache-Control', 'no-store');
    res.status(page === null ? 503 : 200).type('html');
    res.send(page ?? NOT_BUILT);
  }

  private sendAsset(name: string, req: Request, res: Response): void {
    const asset = this.files.asset(name);
    if (asset === undefined) throw new NotFoundException();
    const { path, encoding } = this.files.variantOf(asset, req.get('accept-encoding') ?? '');
    res.setHeader('Content-Type', asset.type);
    res.setHeader('Vary', 'Accept-Encoding');
    if (encoding !== undefined) res.setHeader('Content-Encoding', encoding);
    // Its name holds the hash of its content.
    res.sendFile(path, { cacheControl: false, headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } });
  }
}
