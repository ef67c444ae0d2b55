#!/bin/sh
# The command line beside kalends.service, for root: with the settings and the rights of the service.
#   install -m 0755 deploy/kalends.sh /usr/local/bin/kalends
set -a
NODE_ENV=production KALENDS_DATA_DIR=/var/lib/kalends
. /etc/kalends.env
exec runuser -u kalends -- /usr/bin/node /opt/kalends/bin/kalends.js "$@"
