import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answeredBy, problemsInFile } from './crash.compare.js';
import type { Book } from './crash.writers.js';
import type { Random } from './random.js';
import { kalends, type Site } from './site.js';

/** Backups one after the other while others write, some of them killed: each is whole, or not there. */
export class Backups {
  made = 0;
  killed = 0;
  readonly problems: string[] = [];
  private going = false;
  private run: Promise<void> = Promise.resolve();

  constructor(
    private readonly site: Site,
    private readonly folder: string,
    private readonly book: Book,
    private readonly random: Random,
  ) {}

  start(): void {
    this.going = true;
    this.run = this.loop();
  }

  /** Waits for the one that runs. */
  async stop(): Promise<void> {
    this.going = false;
    await this.run;
  }

  private async loop(): Promise<void> {
    while (this.going) await this.one();
  }

  private async one(): Promise<void> {
    const file = path.join(this.folder, `backup-${this.made + this.killed}.db`);
    const before = answeredBy(this.book);
    const kill = this.random.chance(0.25) ? this.random.int(50, 500) : undefined;
    const { code, err } = await kalends(this.site, ['backup', file, '--json'], (child) => {
      if (kill !== undefined) void sleep(kill).then(() => child.kill('SIGKILL'));
    });
    if (code === 0) this.made++;
    else if (kill !== undefined && code === null) this.killed++;
    else this.problems.push(`backup ended with ${code}: ${err}`);
    if (code === 0 && !existsSync(file)) this.problems.push('backup said that it was made, but there is no file');
    if (existsSync(file)) {
      const found = await problemsInFile(file, this.book, before);
      this.problems.push(...found.slice(0, 5).map((one) => `backup: ${one}`));
    }
    for (const name of readdirSync(this.folder)) rmSync(path.join(this.folder, name), { force: true });
  }
}
