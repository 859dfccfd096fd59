import { Controller, Get, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { AccessAudit } from './access-audit.js';
import { Public, RequireScope } from './scopes.js';

@Controller('v1/open')
class OpenController {
  @Get()
  forgotten() {
    return this.helper();
  }

  @Get('declared')
  @RequireScope('read')
  declared() {
    return this.helper();
  }

  helper() {
    return {};
  }
}

@RequireScope('read')
@Controller('v1/closed')
class ClosedController {
  @Get()
  list() {
    return {};
  }

  @Public()
  @Get('public')
  open() {
    return {};
  }
}

@Module({ imports: [DiscoveryModule], controllers: [ClosedController], providers: [AccessAudit] })
class ClosedModule {}

@Module({ imports: [ClosedModule], controllers: [OpenController] })
class OpenModule {}

describe('The access audit', () => {
  it('[B-27] refuses to start with a route that declares neither a scope nor that it is public', async () => {
    const app = await NestFactory.create(OpenModule, { logger: false, abortOnError: false });
    await expect(app.init()).rejects.toThrow(
      'Routes need @RequireScope(), @RequirePermission() or @Public(): OpenController.forgotten.',
    );
  });

  it('accepts a rule of the controller or of the route', async () => {
    const app = await NestFactory.create(ClosedModule, { logger: false, abortOnError: false });
    await app.init();
    await app.close();
  });
});
