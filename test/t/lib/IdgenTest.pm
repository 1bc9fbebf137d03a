# What the TAP tests share. A test uses this module, which exports all that is
# in the folder of that name.
package IdgenTest;

use strict;
use warnings FATAL => 'all';

# PostgreSQL's Perl library names data and logs after the file that runs,
# without its folder. Tests of two topics may have the same name: here they get
# both, worker-crash.pl, before the library looks.
BEGIN
{
	$0 =~ s{.*/(\w+)/(\w+\.pl)\z}{$1-$2};
}

use Exporter 'import';
use IdgenTest::Account;
use IdgenTest::Clock;
use IdgenTest::Ids;
use IdgenTest::Leases;
use IdgenTest::Servers;
use IdgenTest::Sessions;

our @EXPORT = (
	@IdgenTest::Account::EXPORT, @IdgenTest::Clock::EXPORT, @IdgenTest::Ids::EXPORT,
	@IdgenTest::Leases::EXPORT, @IdgenTest::Servers::EXPORT, @IdgenTest::Sessions::EXPORT);

1;
