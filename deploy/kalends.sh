#!/bin/sh
# The command line for root, with the settings and the user of kalends.service.
#   install -m 0755 deploy/kalends.sh /usr/local/bin/kalends
set -a
NODE_ENV=production KALENDS_DATA_DIR=/var/lib/kalends
. /etc/kalends.env
exec runuser -u kalends -- /usr/bin/node /opt/kalends/bin/kalends.js "$@"
