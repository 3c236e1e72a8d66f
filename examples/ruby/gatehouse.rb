# Creates an access link, sends signed events and receives webhooks. Needs Ruby 3.1 and the gem webrick.
#
#     ruby gatehouse.rb link
#     ruby gatehouse.rb send events.json
#     ruby gatehouse.rb listen
require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'

MAX_ATTEMPTS = 5
TOLERANCE_SECONDS = 300

# Errors after which the request may have been processed, so it must be safe to repeat.
LOST = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError].freeze

# Sends a request until it succeeds or fails permanently. The block returns the headers of an attempt.
def post(path, body)
  uri = URI(ENV.fetch('GATEHOUSE_URL') + path)
  problem = nil
  1.upto(MAX_ATTEMPTS) do |attempt|
    wait = 2**(attempt - 1) * rand(0.5..1.0)
    begin
      response = Net::HTTP.post(uri, body, { 'content-type' => 'application/json', **yield })
      return JSON.parse(response.body) if response.is_a?(Net::HTTPSuccess)

      problem = "#{response.code} #{response.body}"
      # A temporary error has a 5xx status or says when to retry.
      abort problem if response.code.to_i < 500 && response['retry-after'].nil?
      wait = [wait, response['retry-after'].to_i].max
    rescue *LOST => e
      problem = e.message
    end
    sleep wait if attempt < MAX_ATTEMPTS
  end
  abort problem
end

def create_link(link)
  # Every attempt has the same key, so a retry returns the link of the first attempt.
  headers = { 'authorization' => "Bearer #{ENV.fetch('GATEHOUSE_KEY')}", 'idempotency-key' => SecureRandom.uuid }
  post('/assistant-link', JSON.generate(link)) { headers }
end

def sign(secret, id, timestamp, body)
  key = secret.delete_prefix('whsec_').unpack1('m0')
  "v1,#{[OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body.b)].pack('m0')}"
end

# Sends at most 100 events. Returns the rejected events with the reasons.
def send_events(events)
  body = JSON.generate(events: events)
  id = "msg_#{SecureRandom.uuid}"
  result = post('/events', body) do
    # A signature is valid for five minutes, so every attempt has a new one. The ID stays the same.
    timestamp = Time.now.to_i.to_s
    signature = sign(ENV.fetch('EVENT_SOURCE_SECRET'), id, timestamp, body)
    { 'webhook-id' => id, 'webhook-timestamp' => timestamp, 'webhook-signature' => signature }
  end
  result.fetch('errors', []).map { |error| [events[error['index']], error['error']] }
end

# Reports whether a request is a recent delivery. `body` is the bytes as received.
def genuine?(secret, headers, body)
  id, timestamp, signatures = headers.values_at('webhook-id', 'webhook-timestamp', 'webhook-signature')
  return false unless id && signatures && timestamp&.match?(/\A\d+\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  expected = sign(secret, id, timestamp, body)
  # During the rotation of a secret there are two signatures. secure_compare takes constant time.
  signatures.split.any? { |given| OpenSSL.secure_compare(given, expected) }
end

def listen(port)
  require 'webrick'
  # In production: a table with a unique column, written in the transaction that applies the event.
  seen = {}
  mutex = Mutex.new
  log = WEBrick::Log.new($stderr, WEBrick::Log::ERROR)
  server = WEBrick::HTTPServer.new(Port: port, BindAddress: '127.0.0.1', Logger: log, AccessLog: [])
  server.mount_proc '/' do |request, response|
    body = request.body.to_s
    headers = request.header.transform_values(&:first)
    next response.status = 401 unless genuine?(ENV.fetch('SUBSCRIPTION_SECRET'), headers, body)

    mutex.synchronize do
      # Deliveries are repeated if a response is lost. Every attempt has the same webhook-id.
      unless seen.key?(headers['webhook-id'])
        event = JSON.parse(body)
        puts "received #{event['type']} #{event['id']}"
        seen[headers['webhook-id']] = true
      end
    end
    response.status = 204
  end
  %w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
  server.start
end

$stdout.sync = true
case ARGV
in ['link']
  filter = { audience: { in: %w[customers public] } }
  puts create_link({ sub: 'customer-42', ttlSeconds: 3600, permissionFilter: filter })['url']
in ['send', file]
  events = JSON.parse(File.read(file, encoding: 'UTF-8'))['events']
  rejected = send_events(events)
  puts "accepted #{events.size - rejected.size}"
  rejected.each { |event, reason| puts "rejected #{event['id']} #{reason}" }
  exit rejected.empty?
in ['listen']
  listen(Integer(ENV.fetch('PORT')))
end
