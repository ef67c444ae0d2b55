// Does over our own interface what the reference's cannot do; called by the replayer between steps.
const admin = process.env.REFERENCE_ADMIN ?? '';
let input = '';
for await (const part of process.stdin) input += part;
const args = JSON.parse(input || '{}');

async function change(id, body) {
  const answer = await fetch(`${process.env.REC_API}/events/${id}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${Buffer.from(admin).toString('base64')}` },
    body: JSON.stringify(body),
  });
  return answer.json();
}

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
}
console.log('{}');
