// Does over our own interface what the reference's cannot do; called by the replayer between steps.
const admin = process.env.REFERENCE_ADMIN ?? '';
let input = '';
for await (const part of process.stdin) input += part;
const args = JSON.parse(input || '{}');

async function ask(method, path, body, headers = {}) {
  const Authorization = `Basic ${Buffer.from(admin).toString('base64')}`;
  const answer = await fetch(process.env.REC_API + path, { method, headers: { ...headers, Authorization }, body });
  return answer.json();
}
const change = (id, body) =>
  ask('PATCH', `/events/${id}`, JSON.stringify(body), { 'Content-Type': 'application/json' });

async function picture({ width = 40, height = 30, name = 'picture.png' }) {
  const { default: sharp } = await import('sharp');
  const create = { width, height, channels: 3, background: 'teal' };
  const form = new FormData();
  form.set('file', new Blob([await sharp({ create }).png().toBuffer()], { type: 'image/png' }), name);
  return ask('POST', '/media', form);
}

let made = {};

switch (process.argv[2]) {
  case 'set-password':
    // Events only: venues and organizers have no password here (D13).
    await change(args.id, { new_password: args.password });
    break;
  case 'set-parent':
    await change(args.id, { post_parent: args.parent });
    break;
  case 'add-rsvp':
    await change(args.id ?? args.event, { tickets: [{ name: 'RSVP', provider: 'rsvp' }] });
    break;
  case 'add-image':
    made = await picture(args);
    break;
}
console.log(JSON.stringify(made));
